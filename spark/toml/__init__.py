"""Files that users write in TOML; `tables` loads pydantic, so files are imported one by one."""
