"""Prepares third-party packages before the lockdown, and encodes their objects by value.

Once a zygote is locked down, nothing more can be imported. So package features that import
something on first use are used here. A table, a figure or an expression is sent as a dataclass:
the name of its class and fields. Like any value, it is what the submission says.

Nothing is drawn, as fonts are files. Showing or saving a figure does nothing; a figure is judged by
its contents.
"""

from __future__ import annotations

import importlib
import io
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any, Final, TypeAlias

from grader.executor.encoding import register_base_type, register_numpy, register_type
from grader.executor.library import PREPARATIONS
from grader.executor.pinning import seed_at_start

_Fields: TypeAlias = list[tuple[str, object]]
_KINDS_BY_LETTER: Final = {"i": "int", "u": "int", "f": "float", "c": "complex", "b": "bool"} | {
    "M": "datetime",
    "m": "timedelta",
}
"""The kind of the elements of a column, by numpy's letter for it."""


def load_packages(wanted: Mapping[str, Mapping[str, Any]]) -> None:
    """Import the `wanted` packages: for each the modules in `parts`, from its `folder`.

    The interpreter was started without `site-packages`; the folders of these packages are on the
    path only during the imports, so that nothing else in them can be found later.
    """
    saved_path = list(sys.path)
    sys.path += dict.fromkeys(package["folder"] for package in wanted.values())
    try:
        for package in wanted.values():
            for part in package["parts"]:
                importlib.import_module(part)
        for name, get_ready in _GET_READY.items():  # numpy first: other packages build on it
            if name in sys.modules:
                get_ready(sys.modules[name])
        for thread in threading.enumerate():  # the lockdown refuses to run while other threads do
            if thread is not threading.current_thread():
                thread.join(timeout=10)
    finally:
        sys.path[:] = saved_path
        sys.path_importer_cache.clear()  # it holds finders of these folders


def _get_numpy_ready(numpy: Any) -> None:
    """Use numpy once, so that it allocates and imports everything; encode its values.

    Its random generator starts the same in each session, like that of `random`.
    """
    square = numpy.eye(2)
    numpy.linalg.solve(square, square @ square)
    repr(square), str(numpy.array([1.5, numpy.nan])), numpy.mean(square), numpy.sort(square)
    numpy.random.seed(seed_at_start())
    register_numpy(numpy)


def _get_pandas_ready(pandas: Any) -> None:
    """Use the features of pandas that first-year programs use, and encode its tables."""
    text = "day,name,n\n2024-01-01,a,1\n2024-01-02,b,\n"
    table = pandas.read_csv(io.StringIO(text), parse_dates=["day"])
    repr(table), str(table.n), table.to_string(), table.to_csv(), table.to_dict("records")
    table.describe(), table.info(buf=io.StringIO()), table.n.value_counts(), table.n.fillna(0)
    table.groupby("name")["n"].agg(["mean", "sum"]), table.sort_values("n"), table.isna().sum()
    table.merge(table, on="name"), pandas.concat([table, table]), table.drop_duplicates()
    table.pivot_table(index="name", values="n"), table.set_index("day").resample("D").sum()
    (
        table.name.str.upper().str.contains("A"),
        table.day.dt.strftime("%d/%m/%Y"),
        table.query("n > 0"),
    )
    (
        table.n.rolling(2).mean(),
        table.n.apply(str),
        table.n.astype("category"),
        table.corr(numeric_only=True),
    )
    (
        pandas.to_datetime("1 Jan 2024"),
        pandas.date_range("2024-01-01", periods=2),
        pandas.cut(table.n, 2),
    )
    register_type(pandas.DataFrame, "DataFrame", _table)
    register_type(pandas.Series, "Series", _column)
    register_type(pandas.Timestamp, "Timestamp", lambda value: [("text", value.isoformat())])
    for index in {pandas.Index, pandas.RangeIndex, pandas.DatetimeIndex, pandas.MultiIndex}:
        register_type(index, "Index", lambda value: [("values", _plain_values(value.tolist()))])


def _table(table: Any) -> _Fields:
    columns = [table.iloc[:, number] for number in range(table.shape[1])]
    cells = table.astype(object).to_numpy()
    return [
        ("columns", _plain_values(table.columns.tolist())),
        ("index", _plain_values(table.index.tolist())),
        ("kinds", [_kind(column) for column in columns]),
        ("cells", _plain_array(cells)),
    ]


def _column(column: Any) -> _Fields:
    return [
        ("name", _plain_values([column.name])[0]),
        ("index", _plain_values(column.index.tolist())),
        ("kind", _kind(column)),
        ("values", _plain_values(column.astype(object).tolist())),
    ]


def _kind(column: Any) -> str:
    """Return the kind of the elements of `column`; the dtype of text depends on the version."""
    kind = _KINDS_BY_LETTER.get(getattr(column.dtype, "kind", ""))
    if kind is not None:
        return kind
    if str(column.dtype) == "category":
        return "category"
    is_text = all(isinstance(each, str) for each in column.dropna().tolist())
    return "text" if is_text else "object"


def _plain_array(cells: Any) -> Any:
    """Return an array with the elements of `cells` as plain values."""
    plain = cells.copy()
    plain.flat = _plain_values(cells.ravel().tolist())
    return plain


def _plain_values(items: Iterable[Any]) -> list[object]:
    """Return `items` as plain values: missing ones as None or nan, times as text."""
    return [_plain_value(each) for each in items]


def _plain_value(value: Any) -> object:
    if isinstance(value, tuple):
        return tuple(_plain_values(value))
    if hasattr(value, "isoformat"):
        return None if type(value).__name__ == "NaTType" else value.isoformat()
    if type(value).__name__ == "NAType":
        return None
    return value.item() if hasattr(value, "item") else value


def _get_matplotlib_ready(matplotlib: Any) -> None:
    """Use matplotlib once, without a screen, and stop it from drawing."""
    pyplot = importlib.import_module("matplotlib.pyplot")
    _read_fonts(importlib.import_module("matplotlib.font_manager"))
    figure, axes = pyplot.subplots(1, 2)
    for weight, style in product(("normal", "bold"), ("normal", "italic")):
        text = figure.text(0, 0, "Aa $x^2$", weight=weight, style=style)
        text.get_window_extent(figure.canvas.get_renderer())
    axes[0].plot(["a", "b"], [1, 2], "o-", label="x")
    axes[0].bar(["a", "b"], [1, 2]), axes[0].legend(), axes[0].set_title("t"), axes[0].grid(True)
    axes[1].scatter([1, 2], [3, 4]), axes[1].hist([1, 2, 2]), axes[1].pie([1, 2])
    axes[1].boxplot([1, 2, 3]), axes[1].imshow([[1, 2]]), axes[1].set_xscale("log")
    _figure(figure)
    for package, draw in (("pandas", _draw_tables), ("seaborn", _draw_with_seaborn)):
        if package in sys.modules:
            draw(sys.modules[package])
    pyplot.close("all")
    kind = type(figure)
    kind.savefig = kind.tight_layout = kind.draw = _draw_nothing
    figure.canvas.__class__.draw = _draw_nothing
    vars(pyplot).update(dict.fromkeys(("show", "pause", "draw"), _draw_nothing))
    register_type(kind, "Figure", _figure)
    register_type(matplotlib.axes.Axes, "Axes", _axes)


def _read_fonts(font_manager: Any) -> None:
    """Read whole font files when they are opened: placing a legend measures text later.

    Fonts are looked up at a fixed size, so that the cache finds each of them for any size.
    """
    manager, open_font = font_manager.fontManager, font_manager.ft2font.FT2Font
    find_font = manager.findfont

    def open_in_memory(path: Any, *args: Any, **kwargs: Any) -> Any:
        return open_font(io.BytesIO(Path(path).read_bytes()), *args, **kwargs)

    def find_any_size(properties: Any, *args: Any, **kwargs: Any) -> Any:
        fixed_size = font_manager.FontProperties._from_any(properties).copy()  # noqa: SLF001
        fixed_size.set_size(10)
        return find_font(fixed_size, *args, **kwargs)

    vars(font_manager.ft2font)["FT2Font"] = open_in_memory
    manager.findfont = font_manager.findfont = find_any_size


def _draw_tables(pandas: Any) -> None:
    """Use the plots of pandas once."""
    days = pandas.date_range("2024-01-01", periods=3)
    table = pandas.DataFrame({"a": [1, 2, 3], "b": [2.0, 4.0, 9.0]}, index=days)
    table.plot(), table.plot.bar(), table.a.hist(), table.hist(), table.boxplot(), table.plot.area()
    table.plot.scatter("a", "b"), table.a.plot.pie(), pandas.plotting.scatter_matrix(table)


def _draw_with_seaborn(seaborn: Any) -> None:
    """Use the plots of seaborn that first courses use."""
    pandas = sys.modules["pandas"]
    table = pandas.DataFrame({"a": [1, 2, 3, 4], "b": [2.0, 4.0, 9.0, 8.0], "c": list("xxyy")})
    seaborn.set_theme()
    for draw in (seaborn.scatterplot, seaborn.lineplot, seaborn.barplot, seaborn.boxplot):
        draw(data=table, x="c" if draw is not seaborn.scatterplot else "a", y="b", hue="c")
    seaborn.histplot(data=table, x="b"), seaborn.countplot(data=table, x="c")
    seaborn.heatmap(table[["a", "b"]].corr(), annot=True), seaborn.pairplot(table, hue="c")
    seaborn.regplot(data=table, x="a", y="b", ci=None), seaborn.color_palette("viridis", 3)


def _draw_nothing(*_args: object, **_named: object) -> None:
    """Stand in for functions that draw a figure."""


def _figure(figure: Any) -> _Fields:
    return [("title", figure.get_suptitle()), ("axes", [*figure.axes])]


def _axes(axes: Any) -> _Fields:
    legend = axes.get_legend()
    return [
        ("title", axes.get_title()),
        ("xlabel", axes.get_xlabel()),
        ("ylabel", axes.get_ylabel()),
        ("legend", [] if legend is None else [each.get_text() for each in legend.get_texts()]),
        ("lines", [_points(line.get_xdata(), line.get_ydata()) for line in axes.lines]),
        ("bars", [[*_bars(axes, each)] for each in axes.containers if hasattr(each, "patches")]),
        ("points", [_pairs(each.get_offsets()) for each in axes.collections if _is_scatter(each)]),
    ]


def _points(across: Iterable[Any], up: Iterable[Any]) -> list[object]:
    return [(_number(x), _number(y)) for x, y in zip(across, up, strict=False)]


def _number(value: Any) -> object:
    """Return `value` as the float at which it is drawn, unless it is a name or a time."""
    plain = _plain_value(value)
    return float(plain) if isinstance(plain, int | float) else plain


def _pairs(offsets: Any) -> list[object]:
    return [(float(x), float(y)) for x, y in offsets]


def _is_scatter(collection: Any) -> bool:
    return type(collection).__name__ == "PathCollection"


def _bars(axes: Any, container: Any) -> Iterator[tuple[object, float]]:
    """Yield the position of each bar, or its name if it has one, and its height."""
    names = getattr(axes.xaxis.get_units(), "_mapping", {})
    names_by_position = {position: name for name, position in names.items()}
    for bar in container.patches:
        center = float(bar.get_x() + bar.get_width() / 2)
        yield names_by_position.get(center, center), float(bar.get_height())


def _get_scipy_ready(scipy: Any) -> None:
    """Use the optimizers, integrators and tests of scipy once."""
    scipy.optimize.minimize(lambda x: (x[0] - 1) ** 2, [0.0])
    scipy.optimize.curve_fit(lambda x, a: a * x, [1.0, 2.0], [2.0, 4.0])
    scipy.optimize.brentq(lambda x: x - 1, 0, 3), scipy.integrate.quad(lambda x: x, 0, 1)
    scipy.integrate.solve_ivp(lambda _, y: -y, (0, 1), [1.0]), scipy.linalg.inv([[2.0]])
    scipy.stats.linregress([1, 2, 3], [1, 2, 4]), scipy.stats.ttest_ind([1, 2, 3], [2, 3, 5])
    scipy.stats.norm.cdf(0), scipy.interpolate.interp1d([1, 2], [3, 4])(1.5)


def _get_sympy_ready(sympy: Any) -> None:
    """Use the features of sympy that first-year programs use; encode its expressions as text."""
    x, y = sympy.symbols("x y")
    sympy.simplify(sympy.sin(x) ** 2 + sympy.cos(x) ** 2), sympy.factor(x**2 - 1)
    sympy.expand((x + 1) ** 2), sympy.diff(sympy.exp(x**2), x), sympy.integrate(x * sympy.sin(x), x)
    (
        sympy.integrate(x, (x, 0, 1)),
        sympy.limit(sympy.sin(x) / x, x, 0),
        sympy.series(sympy.exp(x), x),
    )
    sympy.solve([x + y - 1, x - y], [x, y]), sympy.solve(x**2 - 2, x), sympy.solveset(x**2 - 1, x)
    sympy.Matrix([[2, 1], [1, 3]]).inv(), sympy.Matrix([[2, 1], [1, 3]]).eigenvals()
    sympy.latex(x / y), sympy.pretty(x / y), sympy.sympify("x + 1"), sympy.lambdify(x, x**2)(3)
    sympy.Sum(x, (x, 1, y)).doit(), sympy.pi.evalf(), sympy.isprime(7), sympy.factorint(12)
    function = sympy.Function("f")
    sympy.dsolve(function(x).diff(x) - function(x), function(x)), sympy.apart(1 / (x * (x + 1)))
    register_base_type(sympy.Basic, "Expr", lambda value: [("text", sympy.sstr(value))])
    register_base_type(
        sympy.MatrixBase, "Matrix", lambda value: [("text", sympy.sstr(value.tolist()))]
    )


_GET_READY: Final[dict[str, Callable[[Any], None]]] = {
    "numpy": _get_numpy_ready,
    "pandas": _get_pandas_ready,
    "matplotlib": _get_matplotlib_ready,
    "scipy": _get_scipy_ready,
    "sympy": _get_sympy_ready,
    **PREPARATIONS,
}
