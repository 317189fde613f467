"""`mores build pack`: a copy of a pack of norms that knows what people said of them."""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from mores.benchmarks.ladder.pack_info import pack_of
from mores.cli import screen
from mores.cli.args_build import PackArgs
from mores.core.errors import InputError
from mores.core.files import refuse_taken, write_new
from mores.norms.pack import BUNDLED, FILE, NormSurvey, Pack, merged, read_survey

HEADER = "pack.toml"
ASKED = "+people"
"""What the version of a pack ends in once people were asked."""


def build_pack(typed: PackArgs) -> None:
    """Copy a pack with what people said of its norms, and print how many were asked about and how far people agree.

    Of a norm that stands in several files of agreement, the last holds.

    Raises:
        InputError: a file cannot be read or names a norm that is not in the pack, or the folder is there.
    """
    source, out = typed.source, typed.out
    refuse_taken(out)
    home = BUNDLED if source == "pack" else Path(source)
    if not any(home.glob("*.toml")):
        raise InputError(f"{source}: no pack; expected `pack`, or a folder with a TOML file for each place.")
    pack, files = pack_of(home), [read_survey(path) for path in typed.agreement]
    _refuse_strangers(pack, typed.agreement, files)
    before = [read_survey(home / FILE)] if (home / FILE).is_file() else []
    for path in sorted(home.glob("*.toml")):
        if path.name != HEADER:
            write_new(out / path.name, path.read_bytes())
    write_new(out / FILE, merged([*before, *files]))
    write_new(out / HEADER, _header(pack))
    _show(pack_of(out), out, json=typed.json)


def _refuse_strangers(pack: Pack, paths: Sequence[Path], files: Sequence[dict[str, NormSurvey]]) -> None:
    known = {entry.norm.id for entry in pack.norms}
    for path, file in zip(paths, files, strict=True):
        for norm in file.keys() - known:
            raise InputError(
                f"{path}: {norm} is no norm of pack {pack.id}; name the pack that people were asked about."
            )


def _header(pack: Pack) -> bytes:
    version = pack.version.removesuffix(ASKED) + ASKED
    told = {"id": pack.id, "name": pack.name, "version": version}
    quoted = {key: value.replace("\\", "\\\\").replace('"', '\\"') for key, value in told.items()}
    return "".join(f'{key} = "{value}"\n' for key, value in quoted.items()).encode()


def _show(pack: Pack, out: Path, *, json: bool) -> None:
    shares = [entry.norm.agreement for entry in pack.norms if entry.norm.agreement is not None]
    mean = fmean(shares) if shares else None
    if json:
        told = {"out": str(out), "pack": pack.id, "version": pack.version, "fingerprint": pack.fingerprint}
        screen.print_json({**told, "norms": len(pack.norms), "asked": len(shares), "mean_agreement": mean})
        return
    agree = "" if mean is None else f"; on average {screen.share(mean)} of the asked agree"
    screen.line(f"{out}: {len(pack.norms):,} norms; people were asked about {len(shares):,}{agree}.")
