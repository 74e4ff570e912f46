# Sourced by the commands beside it: makes the environment in .venv once, and anew when
# pyproject.toml or the version changes. `setup charts,live,serve` brings what draws, talks to
# brokers and serves as well, `setup test` what the tests need. A command may name another
# environment in `venv`, and more to install there in the array `with`.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$root/.venv
with=()

give_up() {
    echo "evenfleet: $1" >&2
    exit 2
}

find_python() {
    local candidate candidates=(python3 python3.14 python3.13 python3.12 python3.11)
    [ -z "${PYTHON:-}" ] || candidates=("$PYTHON")
    for candidate in "${candidates[@]}"; do
        if "$candidate" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    [ -z "${PYTHON:-}" ] || give_up "PYTHON=$PYTHON doesn't run, or isn't Python 3.11 or newer with its venv module: name another."
    give_up "Python 3.11 or newer (with its venv module) is needed and was not found: install it, or name it in PYTHON."
}

install() {
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --editable "$@"
}

setup() {
    local extra=${1:-} python wanted
    wanted="$(cat "$root/pyproject.toml" "$root/optimizer/assignor/VERSION" | cksum) $extra${with[*]:+ ${with[*]}}"
    if [ -x "$venv/bin/python" ] && [ "$(cat "$venv/.made-for${extra:+-$extra}" 2>/dev/null)" = "$wanted" ]; then
        return
    fi
    python=$(find_python) || exit 2
    echo "evenfleet: installing into ${venv##*/} (once; it takes a minute or two) …" >&2
    [ -x "$venv/bin/python" ] || "$python" -m venv "$venv" || give_up "no virtual environment could be made in $venv."
    install "$root${extra:+[$extra]}" ${with[@]+"${with[@]}"} \
        || give_up "the installation failed: see the lines above."
    echo "$wanted" >"$venv/.made-for${extra:+-$extra}"
}
