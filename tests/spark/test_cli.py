"""The command line as a whole: its help, its version, and from where it can be called."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from optimizer import STRATEGY_NAMES
from spark.cli import COMMANDS, app_for
from spark.errors import InputError
from spark.terminal import EXAMPLES
from tests.paths import ROOT
from tests.support.said import Run


class TestHelp:
    """`--help`."""

    @pytest.mark.parametrize("command", [*COMMANDS])
    def test_each_command_shows_three_examples_its_page_and_its_options_in_panels(
        self, run: Run, command: str
    ) -> None:
        """The examples can be typed, and the page is there."""
        output = run(command, "--help")
        assert output.code == 0
        assert len(re.findall(rf"^ *• evenfleet {command}\b", output.out, re.MULTILINE)) == 3
        page = re.search(r"More: (\S+)", output.out)
        assert page and (ROOT / page[1]).is_file()
        for example in EXAMPLES[command]:
            name, *words = shlex.split(example)
            listed: Any = typer.main.get_command(app_for([name]))
            item = listed.get_command(typer.Context(listed), name)
            item.make_context(name, words)
        panel_of = {
            option: panel
            for panel, text in panels_of(output.out).items()
            for option in re.findall(r"^│ .*?(--[a-z-]+)", text, re.MULTILINE)
        }
        expected = {"--cluster": "Which part", "--goal": "Goals", "--conf": "Spark"}
        expected |= {"--quiet": "Output", "--csv": "Output"}
        result = {option: panel_of[option] for option in expected if option in panel_of}
        assert result == {option: expected[option] for option in result}
        assert "--quiet" in result
        if command in ("plan", "compare", "verify", "demo"):
            assert all(option in output.out for option in ("--master", "--conf", "--format"))
        if command == "plan":
            text = " ".join(output.out.replace("│", " ").split())
            assert all(strategy in text for strategy in STRATEGY_NAMES)

    def test_alone_it_lists_all_commands_in_ten_lines(self, run: Run) -> None:
        output = run()
        words = output.out.replace(",", " ").split()
        assert (output.code, {*COMMANDS} - {*words}) == (0, set())
        assert len((output.out + output.err).splitlines()) <= 10

    def test_all_commands_are_listed_by_question(self, run: Run) -> None:
        output = run("--help")
        assert output.code == 0
        result = panels_of(output.out)
        assert [*result][1:] == ["Look", "Plan", "Predict", "Get data", "Apply"]
        for name, panel in COMMANDS.items():
            assert f"│ {name} " in result[panel]


def panels_of(text: str) -> dict[str, str]:
    """What stands in each panel of a help, by its title."""
    panels = re.split(r"╭─ (.+?) ─+╮", text)
    return dict(zip(panels[1::2], panels[2::2], strict=True))


@pytest.mark.parametrize("command", [*COMMANDS])
def test_an_option_given_twice_is_repeatable_or_refused(command: str) -> None:
    """None drops what was given first; a flag says the same twice."""
    listed: Any = typer.main.get_command(app_for([command]))
    item = listed.get_command(typer.Context(listed), command)
    valued = [option for option in item.params if not getattr(option, "is_flag", True)]
    assert valued or command in ("config", "findings")
    for option in valued:
        words = [word for spelling in option.opts[:1] for word in (spelling, "a", spelling, "b")]
        if option.multiple:
            context = typer.Context(item)
            assert item.make_parser(context).parse_args(words)[0][option.name] == ["a", "b"]
        else:
            with pytest.raises(InputError, match=f"{option.opts[0]} is given 2 times: give it on"):
                item.make_context(command, words)


COMPLETED = {
    "bash": ". ~/.bash_completions/evenfleet.sh; COMP_WORDS=({0}); COMP_CWORD={1}; "
    "_evenfleet_completion evenfleet; echo ${{COMPREPLY[@]}}",
    "zsh": "compdef() {{ }}; _arguments() {{ print -r -- $* }}; words=({0}); CURRENT={1}+1; "
    ". ~/.zfunc/_evenfleet; _evenfleet_completion",
}


@pytest.mark.parametrize("shell", COMPLETED)
def test_a_shell_completes_commands_and_options(tmp_path: Path, shell: str) -> None:
    if not shutil.which(shell):
        pytest.skip(f"there is no {shell}")
    program = tmp_path / "evenfleet"
    call = '-c "from evenfleet.command import main; main()" "$@"'
    program.write_text(f"#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} {call}\n")
    program.chmod(0o755)
    env = os.environ | {"HOME": str(tmp_path), "PATH": f"{tmp_path}:{os.environ['PATH']}"}

    def said(script: str) -> str:  # the shell stays, as its name is looked for
        words = [shell, "-c", f"{script}; true"]
        return subprocess.run(words, env=env, capture_output=True, text=True, check=True).stdout

    assert f"{shell} completion installed" in said("evenfleet --install-completion")
    assert "reassign-verify" in said(COMPLETED[shell].format("evenfleet reassign-", 1))
    assert "--levels" in said(COMPLETED[shell].format("evenfleet plan --le", 2))


class TestVersion:
    """`--version`, and from where the command can be called."""

    def test_it_is_the_packages(self, run: Run) -> None:
        version = (ROOT / "optimizer/assignor/VERSION").read_text(encoding="utf-8")
        assert run("--version") == (0, f"evenfleet {version}", "")

    @pytest.fixture
    def checkout(self, tmp_path: Path) -> Path:
        """One whose programs say how they were called, and that they are Java 17."""
        folder = tmp_path / "checkout"
        shutil.copytree(ROOT / "bin", folder / "bin")
        shutil.copytree(ROOT / "optimizer/assignor", folder / "optimizer/assignor")
        shutil.copy(ROOT / "pyproject.toml", folder)
        for name in (".venv/bin/python", ".venv/bin/evenfleet", "java/bin/java"):
            program = folder / name
            program.parent.mkdir(parents=True, exist_ok=True)
            program.write_text('#!/bin/sh\necho "$0" "$@"\necho \'openjdk version "17.0.1"\'\n')
            program.chmod(0o755)
        return folder

    def ran(self, checkout: Path, *words: object) -> Any:
        env = {**os.environ, "JAVA_HOME": str(checkout / "java")}
        return subprocess.run(words, env=env, capture_output=True, text=True, check=True)

    def test_through_links_and_without_java(self, checkout: Path, tmp_path: Path) -> None:
        """To a link beside it, to a file elsewhere, and by a path with a space in it."""
        shutil.rmtree(checkout / "java")
        (folder := tmp_path / "my programs").mkdir()
        (folder / "first").symlink_to(checkout / "bin/evenfleet")
        (folder / "second").symlink_to("first")
        script = (ROOT / "bin/evenfleet").read_text(encoding="utf-8")
        assert "readlink -f" not in script  # which older systems don't have
        output = self.ran(checkout, folder / "second", "config").stdout
        assert f"{checkout}/.venv/bin/evenfleet config" in output.splitlines()

    def test_no_command_waits_for_an_archive(self, checkout: Path) -> None:
        self.ran(checkout, checkout / "bin/evenfleet")  # installs
        (checkout / "spark/jobs").mkdir(parents=True)
        (checkout / "spark/jobs/plan.py").touch()
        for word in ("plan", "plam", "--help"):
            ran = self.ran(checkout, checkout / "bin/evenfleet", word)
            assert ran.stdout.splitlines()[:-1] == [f"{checkout}/.venv/bin/evenfleet {word}"]
            assert ran.stderr == ""
