"""What pyproject.toml cannot say: the dashboard's files go into the package, as `distpriv/_app`.

Beside their Python the entry, the pages, the settings and the example data keep the places that
they have in the repository, so that :mod:`distpriv.resources` finds both trees alike.
"""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

APP = [
    Path("app.py"),
    *sorted(Path("pages").glob("*.py")),
    Path(".streamlit/config.toml"),
    # What the code loads, with the attribution that its licence asks for.
    *(
        Path("data", name)
        for name in (
            "README.md",
            "bank.parquet",
            "census_income.parquet",
            "hospital.json",
            "hospital.parquet",
            "school.parquet",
            "school_network.json",
            "staff.parquet",
        )
    ),
    *sorted(Path("data/problem_sets").glob("*.*")),
]


class BuildWithApp(build_py):
    """Copies the dashboard's files, unless the package is run from where they lie."""

    def run(self) -> None:
        """Build the package."""
        super().run()
        if not self.editable_mode:
            for source in APP:
                target = Path(self.build_lib, "distpriv", "_app", source)
                self.mkpath(str(target.parent))
                self.copy_file(str(source), str(target))

    def get_source_files(self) -> list[str]:
        """What a source distribution has to hold."""
        return [*super().get_source_files(), *map(str, APP)]


setup(cmdclass={"build_py": BuildWithApp})
