"""Settings: order, origins, and errors that name the place."""

from __future__ import annotations

import os
from datetime import UTC
from pathlib import Path

import pytest

from recall_tui.config import RULES, Settings, load, zone
from recall_tui.errors import ConfigError


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """An environment whose settings lie in a folder of this test."""
    return {"RECALL_HOME": str(tmp_path)}


def write(env: dict[str, str], text: str) -> str:
    path = Path(env["RECALL_HOME"]) / "config.toml"
    path.write_text(text, "utf-8")
    return str(path)


def test_defaults_need_no_file(env) -> None:
    config = load(env)
    assert config.settings == Settings()
    assert config.origins == {}
    assert {one.origin for one in config.listing()} == {"default"}
    assert not os.path.exists(config.file)


def test_later_wins_and_each_value_knows_its_origin(env) -> None:
    path = write(env, 'theme = "nord"\nzone = "UTC"\nimages = "off"\nfreshness_s = 9\n')
    env |= {"RECALL_ZONE": "Europe/Berlin", "RECALL_IMAGES": "half"}
    config = load(env, {"images": ("sixel", "--images")})
    assert (config.settings.theme, config.origins["theme"]) == ("nord", path)
    assert (config.settings.zone, config.origins["zone"]) == ("Europe/Berlin", "RECALL_ZONE")
    assert (config.settings.images, config.origins["images"]) == ("sixel", "--images")
    assert config.settings.freshness_s == 9.0
    assert [one.name for one in config.listing()] == list(Settings._fields)


def test_every_setting_explains_itself() -> None:
    assert list(RULES) == list(Settings._fields)
    for name, default in Settings._field_defaults.items():
        assert RULES[name].doc.endswith("."), name
        assert RULES[name].read(default) == default, name


def test_unknown_key_names_the_file_and_the_nearest(env) -> None:
    path = write(env, 'exlude = ["/x"]\n')
    with pytest.raises(ConfigError) as caught:
        load(env)
    assert path in caught.value.message
    assert "'exlude'" in caught.value.message
    assert caught.value.hint == "did you mean 'exclude'?"


def test_unknown_key_without_a_neighbour_lists_all(env) -> None:
    write(env, "zzzz = 1\n")
    with pytest.raises(ConfigError, match=r"known keys: sources, .*keymap"):
        load(env)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("theme = 3", "theme must be one of recall, "),
        ("theme = 'drakula'", "theme must be one of recall, "),
        ('exclude = "/x/*"', None),
        ("exclude = [1]", "exclude must be a list of texts"),
        ('exclude = [""]', "exclude must be a list of texts, none of them empty"),
        ("keep_gone = 1", "keep_gone must be true or false"),
        ("freshness_s = -1", "freshness_s must be a number of seconds, 0 or more"),
        ("freshness_s = true", "freshness_s must be a number of seconds"),
        ("regex_timeout_s = inf", "regex_timeout_s must be a number of seconds"),
        ('images = "big"', "images must be one of auto, half, kitty, sixel, off"),
        ('zone = "Mars/Olympus"', "zone must be local, UTC or a name"),
        ("[editor]", "editor must be a text"),
    ],
)
def test_a_value_of_another_shape_is_refused(env, line: str, wanted: str | None) -> None:
    path = write(env, line + "\n")
    if wanted is None:
        assert load(env).settings.exclude == ("/x/*",)
        return
    with pytest.raises(ConfigError) as caught:
        load(env)
    assert caught.value.message.startswith(f"{path}: {wanted}")


@pytest.mark.parametrize(
    ("name", "text", "key", "value"),
    [
        ("RECALL_KEEP_GONE", "off", "keep_gone", False),
        ("RECALL_KEEP_GONE", "1", "keep_gone", True),
        ("RECALL_FRESHNESS_S", "0.5", "freshness_s", 0.5),
        ("RECALL_SOURCES", f"claude=/a{os.pathsep}codex=/b", "sources", ("claude=/a", "codex=/b")),
        ("RECALL_EXCLUDE", "", "exclude", ()),
    ],
)
def test_environment_values_are_read_as_text(env, name, text, key, value) -> None:
    config = load(env | {name: text})
    assert getattr(config.settings, key) == value
    assert config.origins == {key: name}


def test_a_wrong_environment_value_names_the_variable(env) -> None:
    with pytest.raises(ConfigError, match="RECALL_KEEP_GONE: keep_gone must be true or false"):
        load(env | {"RECALL_KEEP_GONE": "perhaps"})


@pytest.mark.parametrize("content", [b"theme = ", b"theme = \xff", b"a = 1\na = 2"])
def test_a_file_that_is_no_toml_is_named(env, content: bytes) -> None:
    path = Path(env["RECALL_HOME"]) / "config.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=r"config\.toml is not valid TOML"):
        load(env)


def test_a_file_with_a_byte_order_mark_is_read(env) -> None:
    (Path(env["RECALL_HOME"]) / "config.toml").write_bytes(b"\xef\xbb\xbftheme = 'nord'\n")
    assert load(env).settings.theme == "nord"


def test_a_folder_in_the_place_of_the_file(env) -> None:
    (Path(env["RECALL_HOME"]) / "config.toml").mkdir()
    with pytest.raises(ConfigError, match="cannot read"):
        load(env)


def test_zones() -> None:
    assert zone("utc") is UTC
    assert str(zone("Europe/Berlin")) == "Europe/Berlin"
    assert zone("local") is not None
    with pytest.raises(ConfigError, match="unknown time zone"):
        zone("Nowhere")
