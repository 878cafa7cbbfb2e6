"""The parts of Python that a suite can name, which are constructs for rules and modules to import.

The list of allowed modules is for teaching, not for security. The executor follows it, but a
submission might get around it; it is the kernel that confines submissions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

LOOPS: Final = ("for", "while", "comprehension")
"""Words for rules on loops; `comprehension` stands for all four kinds."""
COMPREHENSIONS: Final = (
    "list comprehension",
    "set comprehension",
    "dict comprehension",
    "generator expression",
)
FUNCTIONS: Final = ("all", "any", "eval", "exec", "filter", "map", "reduce", "sorted", "sum", "zip")
"""Functions that rules can name."""
CONSTRUCTS: Final = (
    "for",
    "while",
    *COMPREHENSIONS,
    "assert",
    "async",
    "break",
    "class",
    "continue",
    "decorator",
    "del",
    "f-string",
    "global",
    "if",
    "import",
    "index",
    "lambda",
    "match",
    "nested function",
    "nonlocal",
    "raise",
    "return",
    "slice",
    "star argument",
    "ternary",
    "try",
    "walrus",
    "with",
    "yield",
    "dict literal",
    "list literal",
    "number literal",
    "set literal",
    "text literal",
    "tuple literal",
    *FUNCTIONS,
)
"""The constructs that the executor finds in source code (`grader.executor.surveying`)."""
GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "comprehension": COMPREHENSIONS,
    "generator": ("generator expression", "yield"),
    "loop": ("for", "while"),
}
"""Words that stand for several constructs."""
FORBIDDABLE: Final = (*CONSTRUCTS, *GROUPS)
"""The constructs and groups that a rule can name."""
OPERATORS: Final = (
    *("+", "-", "*", "/", "//", "%", "**", "@", "<<", ">>", "&", "|", "^", "~"),
    *("==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in", "and", "or", "not"),
)
"""The operators that a rule can name."""

_STANDARD: Final = """
    __future__ abc argparse array ast atexit base64 binascii bisect builtins bz2 calendar cmath
    cmd codecs collections colorsys configparser contextlib contextvars copy copyreg csv
    dataclasses datetime decimal difflib dis doctest enum errno fileinput fnmatch fractions
    functools gc getopt getpass gettext glob graphlib gzip hashlib heapq hmac html importlib
    inspect io ipaddress itertools json keyword linecache locale logging lzma math ntpath
    numbers operator os pathlib pickle platform posixpath pprint queue random re reprlib sched
    secrets shlex shutil stat statistics string struct sys tempfile textwrap threading time
    timeit token tokenize traceback types typing unicodedata unittest urllib uuid warnings
    weakref zlib
"""
_PACKAGES: Final = """
    aiohttp altair anthropic antlr4 anyio arcade arrow astropy attr attrs beartype Bio bitarray
    bitstring blessed bokeh boltons boto3 bottleneck bs4 cachetools cairo cartopy catboost
    cattrs cffi chess click colorama coverage cowsay cpmpy Crypto cryptography cupy
    customtkinter cv2 cvxpy cython dash datasets dateutil deap discord django dlib docopt docx
    dotenv easygui easyocr emcee emoji face_recognition faker fastapi fastparquet fiona fitz
    flask flax folium frozendict funcy gensim geopandas gevent gmpy2 graphviz gtts gurobipy gym
    gymnasium h5py httpx hypothesis icecream igraph imageio inflect IPython ipywidgets jax
    jaxlib jinja2 joblib jsonschema jupyter keras kivy langchain lark Levenshtein librosa
    lightgbm line_profiler loguru lxml manim markdown marshmallow matplotlib mediapipe
    memory_profiler mido more_itertools mpmath msgpack multipledispatch music21 mypy nacl
    netCDF4 networkx nltk nose notebook num2words numba numexpr numpy numpy_financial onnx
    onnxruntime openai openpyxl optuna orjson ortools osmnx panda3d pandas paramiko patsy
    pendulum PIL pingouin pint pip pkg_resources playwright plotly ply polars pptx praw
    prettytable prophet psutil psycopg2 pulp pyarrow pyaudio pyautogui pybind11 pydantic pydot
    pydub pyfiglet pygame pyglet pygments pygraphviz pyinstrument pymc pymongo pymunk pynput
    pyparsing pypdf PyPDF2 pyperclip pyproj PyQt5 PyQt6 pyrsistent PySide2 PySide6 PySimpleGUI
    pyspark pytesseract pytest pytest_mock pytorch_lightning pyttsx3 pytz pyvis pyvista qrcode
    rapidfuzz rasterio rdkit readchar redis regex reportlab requests rich scapy scipy seaborn
    selenium setuptools shap shapely simplejson simpy six skimage sklearn sktime
    sortedcollections sortedcontainers sounddevice spacy speech_recognition sqlalchemy starlette
    statsmodels streamlit svgwrite sympy tabulate tensorflow termcolor textblob texttable
    textual tkcalendar toml tomli tomlkit toolz torch torchvision tqdm transformers trio
    ttkbootstrap tweepy typeguard typer typing_extensions ujson umap uncertainties unidecode
    urllib3 ursina uvicorn vpython vtk websockets werkzeug wheel win32api win32com win32con
    win32gui wordcloud wrapt wx xarray xgboost xlrd xlsxwriter xlwings yaml yfinance z3 zarr zmq
"""

STANDARD_WORD: Final = "standard"
"""Stands for all of `STANDARD_MODULES` in the `imports` of a suite."""
STANDARD_MODULES: Final = tuple(_STANDARD.split())
"""Modules that a submission can import by default. The rest of the standard library is of little
use in an executor, which has no files, no network and no other programs."""
PRELOADED: Final = (
    *STANDARD_MODULES,
    *("collections.abc", "html.parser", "importlib.util", "os.path", "urllib.parse", "_strptime"),
    *("encodings.ascii", "encodings.cp1252", "encodings.idna", "encodings.iso8859_15"),
    *("encodings.latin_1", "encodings.utf_16", "encodings.utf_8", "encodings.utf_8_sig"),
)
"""Modules loaded in an executor: `STANDARD_MODULES`, and modules that these import lazily."""
_NUMPY_PARTS: Final = """
    char ctypeslib dtypes exceptions fft lib lib.array_utils lib.format lib.mixins lib.npyio
    lib.scimath lib.stride_tricks linalg ma ma.extras ma.mrecords matlib polynomial random rec
    strings testing typing version
"""
_SCIPY_PARTS: Final = """
    constants fft integrate interpolate linalg ndimage optimize signal sparse spatial special stats
"""
_XML_PARTS: Final = """
    dom.expatbuilder dom.minidom dom.pulldom etree.ElementTree sax sax.expatreader sax.saxutils
"""
GIVABLE_PACKAGES: Final[Mapping[str, tuple[str, ...]]] = {
    "numpy": ("numpy", *(f"numpy.{part}" for part in _NUMPY_PARTS.split())),
    "pandas": ("pandas",),
    "matplotlib": ("matplotlib", "matplotlib.pyplot", "matplotlib.dates", "matplotlib.ticker"),
    "scipy": ("scipy", *(f"scipy.{part}" for part in _SCIPY_PARTS.split())),
    "seaborn": ("seaborn",),
    "sympy": ("sympy",),
    "asyncio": ("asyncio",),
    "sqlite3": ("sqlite3",),
    "tomllib": ("tomllib",),
    "xml": ("xml", *(f"xml.{part}" for part in _XML_PARTS.split())),
    "zoneinfo": ("zoneinfo",),
}
"""Packages that a suite can name if they are installed, each with its modules to load.

They include parts of the standard library that load slowly or are rarely useful."""
KNOWN_PACKAGES: Final = tuple(_PACKAGES.split())
"""Well-known third-party modules. If one is not allowed, a submission that imports it gets an inert
placeholder; any other unknown name is reported as missing."""


def expand_constructs(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return `names` with groups such as `comprehension` replaced with their constructs.

    Duplicates are removed.
    """
    groups = (GROUPS.get(name, (name,)) for name in names)
    return tuple(dict.fromkeys(name for group in groups for name in group))


def expand_imports(imports: Iterable[str] = (STANDARD_WORD,)) -> tuple[str, ...]:
    """Return the modules in the `imports` of a suite, with `standard` replaced with its modules.

    Duplicates are removed.
    """
    modules = (STANDARD_MODULES if word == STANDARD_WORD else (word,) for word in imports)
    return tuple(dict.fromkeys(module for group in modules for module in group))


def optional_packages(imports: Iterable[str]) -> tuple[str, ...]:
    """Return the packages in `imports` that are not always loaded, sorted."""
    return tuple(sorted(GIVABLE_PACKAGES.keys() & set(imports)))
