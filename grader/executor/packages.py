"""Prepares third-party packages before the lockdown, and encodes their objects by value.

Once a zygote is locked down, nothing more can be imported. So features of packages that import
something on first use are used once here. A table, a figure or an expression is encoded as a
dataclass, with the name of its class and its fields. Like any value, it is only a claim of the
submission.

Nothing is drawn, because fonts are files. Showing or saving a figure does nothing; a figure is
judged by its contents.
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
"""The element kind of a column, keyed by numpy's letter for it."""


def load_packages(packages: Mapping[str, Mapping[str, Any]]) -> None:
    """Import the modules in `parts` of each package in `packages`, from its `folder`.

    The interpreter was started without `site-packages`. The folders of these packages are on the
    path only while this runs, so that no other module in them can be found later. Each package that
    is loaded by then is also prepared, by using it once.
    """
    saved_path = list(sys.path)
    sys.path += dict.fromkeys(package["folder"] for package in packages.values())
    try:
        for package in packages.values():
            for part in package["parts"]:
                importlib.import_module(part)
        # numpy comes first, because the other packages use it.
        for name, prepare in _PREPARATIONS.items():
            if name in sys.modules:
                prepare(sys.modules[name])
        for thread in threading.enumerate():  # the lockdown fails if another thread runs
            if thread is not threading.current_thread():
                thread.join(timeout=10)
    finally:
        sys.path[:] = saved_path
        sys.path_importer_cache.clear()  # it has finders for these folders


def _prepare_numpy(numpy: Any) -> None:
    """Use numpy once, so that it allocates and imports everything, and register its types.

    Its random generator starts in the same state in each session, like that of `random`.
    """
    square = numpy.eye(2)
    numpy.linalg.solve(square, square @ square)
    repr(square), str(numpy.array([1.5, numpy.nan])), numpy.mean(square), numpy.sort(square)
    numpy.random.seed(seed_at_start())
    register_numpy(numpy)


def _prepare_pandas(pandas: Any) -> None:
    """Use the features of pandas that first-year programs use, and register its types."""
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
    register_type(pandas.DataFrame, "DataFrame", _table_fields)
    register_type(pandas.Series, "Series", _column_fields)
    register_type(pandas.Timestamp, "Timestamp", lambda value: [("text", value.isoformat())])
    for index in {pandas.Index, pandas.RangeIndex, pandas.DatetimeIndex, pandas.MultiIndex}:
        register_type(index, "Index", lambda value: [("values", _plain_values(value.tolist()))])


def _table_fields(table: Any) -> _Fields:
    """Return the fields of a `DataFrame`: its columns, index, element kinds, and cells."""
    columns = [table.iloc[:, index] for index in range(table.shape[1])]
    cells = table.astype(object).to_numpy()
    return [
        ("columns", _plain_values(table.columns.tolist())),
        ("index", _plain_values(table.index.tolist())),
        ("kinds", [_element_kind(column) for column in columns]),
        ("cells", _plain_array(cells)),
    ]


def _column_fields(column: Any) -> _Fields:
    """Return the fields of a `Series`: its name, index, element kind, and values."""
    return [
        ("name", _plain_values([column.name])[0]),
        ("index", _plain_values(column.index.tolist())),
        ("kind", _element_kind(column)),
        ("values", _plain_values(column.astype(object).tolist())),
    ]


def _element_kind(column: Any) -> str:
    """Return the kind of the elements of `column`.

    Text is detected by its elements, because its dtype depends on the version of pandas.
    """
    kind = _KINDS_BY_LETTER.get(getattr(column.dtype, "kind", ""))
    if kind is not None:
        return kind
    if str(column.dtype) == "category":
        return "category"
    is_text = all(isinstance(element, str) for element in column.dropna().tolist())
    return "text" if is_text else "object"


def _plain_array(cells: Any) -> Any:
    """Return a copy of the array `cells` with its elements as plain values."""
    plain = cells.copy()
    plain.flat = _plain_values(cells.ravel().tolist())
    return plain


def _plain_values(items: Iterable[Any]) -> list[object]:
    """Return `items` as plain values: missing ones as None or nan, times as text."""
    return [_plain_value(item) for item in items]


def _plain_value(value: Any) -> object:
    """Return `value` as a built-in type: a missing one as None or nan, a time as text."""
    if isinstance(value, tuple):
        return tuple(_plain_values(value))
    if hasattr(value, "isoformat"):
        return None if type(value).__name__ == "NaTType" else value.isoformat()
    if type(value).__name__ == "NAType":
        return None
    return value.item() if hasattr(value, "item") else value


def _prepare_matplotlib(matplotlib: Any) -> None:
    """Use matplotlib once, without a screen, stop it from drawing, and register its types.

    Also uses the plots of pandas and seaborn, if they are loaded.
    """
    pyplot = importlib.import_module("matplotlib.pyplot")
    _keep_fonts_in_memory(importlib.import_module("matplotlib.font_manager"))
    figure, axes = pyplot.subplots(1, 2)
    for weight, style in product(("normal", "bold"), ("normal", "italic")):
        text = figure.text(0, 0, "Aa $x^2$", weight=weight, style=style)
        text.get_window_extent(figure.canvas.get_renderer())
    axes[0].plot(["a", "b"], [1, 2], "o-", label="x")
    axes[0].bar(["a", "b"], [1, 2]), axes[0].legend(), axes[0].set_title("t"), axes[0].grid(True)
    axes[1].scatter([1, 2], [3, 4]), axes[1].hist([1, 2, 2]), axes[1].pie([1, 2])
    axes[1].boxplot([1, 2, 3]), axes[1].imshow([[1, 2]]), axes[1].set_xscale("log")
    _figure_fields(figure)  # once before the lockdown, because it might import something
    for package, draw in (("pandas", _draw_tables), ("seaborn", _draw_with_seaborn)):
        if package in sys.modules:
            draw(sys.modules[package])
    pyplot.close("all")
    figure_class = type(figure)
    figure_class.savefig = figure_class.tight_layout = figure_class.draw = _draw_nothing
    figure.canvas.__class__.draw = _draw_nothing
    vars(pyplot).update(dict.fromkeys(("show", "pause", "draw"), _draw_nothing))
    register_type(figure_class, "Figure", _figure_fields)
    register_type(matplotlib.axes.Axes, "Axes", _axes_fields)


def _keep_fonts_in_memory(font_manager: Any) -> None:
    """Make matplotlib read font files into memory when it opens them.

    This is needed because placing a legend measures text, even after the lockdown. All fonts are
    looked up at one size, so that a font in the cache is found whatever size is requested.
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
    """Use the plots of pandas once, so that it imports everything that they need."""
    days = pandas.date_range("2024-01-01", periods=3)
    table = pandas.DataFrame({"a": [1, 2, 3], "b": [2.0, 4.0, 9.0]}, index=days)
    table.plot(), table.plot.bar(), table.a.hist(), table.hist(), table.boxplot(), table.plot.area()
    table.plot.scatter("a", "b"), table.a.plot.pie(), pandas.plotting.scatter_matrix(table)


def _draw_with_seaborn(seaborn: Any) -> None:
    """Use the plots of seaborn that introductory courses use, so that their imports are done."""
    pandas = sys.modules["pandas"]
    table = pandas.DataFrame({"a": [1, 2, 3, 4], "b": [2.0, 4.0, 9.0, 8.0], "c": list("xxyy")})
    seaborn.set_theme()
    for draw in (seaborn.scatterplot, seaborn.lineplot, seaborn.barplot, seaborn.boxplot):
        draw(data=table, x="c" if draw is not seaborn.scatterplot else "a", y="b", hue="c")
    seaborn.histplot(data=table, x="b"), seaborn.countplot(data=table, x="c")
    seaborn.heatmap(table[["a", "b"]].corr(), annot=True), seaborn.pairplot(table, hue="c")
    seaborn.regplot(data=table, x="a", y="b", ci=None), seaborn.color_palette("viridis", 3)


def _draw_nothing(*_args: object, **_kwargs: object) -> None:
    """Do nothing, in place of a function that draws a figure."""


def _figure_fields(figure: Any) -> _Fields:
    return [("title", figure.get_suptitle()), ("axes", [*figure.axes])]


def _axes_fields(axes: Any) -> _Fields:
    """Return the fields of `Axes`: its texts, and the data of its lines, bars and points."""
    legend = axes.get_legend()
    return [
        ("title", axes.get_title()),
        ("xlabel", axes.get_xlabel()),
        ("ylabel", axes.get_ylabel()),
        ("legend", [] if legend is None else [text.get_text() for text in legend.get_texts()]),
        ("lines", [_point_list(line.get_xdata(), line.get_ydata()) for line in axes.lines]),
        (
            "bars",
            [
                [*_bar_heights(axes, container)]
                for container in axes.containers
                if hasattr(container, "patches")
            ],
        ),
        (
            "points",
            [
                _offset_pairs(collection.get_offsets())
                for collection in axes.collections
                if _is_scatter(collection)
            ],
        ),
    ]


def _point_list(x_values: Iterable[Any], y_values: Iterable[Any]) -> list[object]:
    return [(_plain_number(x), _plain_number(y)) for x, y in zip(x_values, y_values, strict=False)]


def _plain_number(value: Any) -> object:
    """Return `value` as the float at which it is drawn, unless it is a name or a time."""
    plain = _plain_value(value)
    return float(plain) if isinstance(plain, int | float) else plain


def _offset_pairs(offsets: Any) -> list[object]:
    return [(float(x), float(y)) for x, y in offsets]


def _is_scatter(collection: Any) -> bool:
    return type(collection).__name__ == "PathCollection"


def _bar_heights(axes: Any, container: Any) -> Iterator[tuple[object, float]]:
    """Yield the name of each bar, or its position if it has no name, together with its height."""
    names = getattr(axes.xaxis.get_units(), "_mapping", {})
    names_by_position = {position: name for name, position in names.items()}
    for bar in container.patches:
        centre = float(bar.get_x() + bar.get_width() / 2)
        yield names_by_position.get(centre, centre), float(bar.get_height())


def _prepare_scipy(scipy: Any) -> None:
    """Use scipy's optimisers, integrators and tests once, so that it imports everything."""
    scipy.optimize.minimize(lambda x: (x[0] - 1) ** 2, [0.0])
    scipy.optimize.curve_fit(lambda x, a: a * x, [1.0, 2.0], [2.0, 4.0])
    scipy.optimize.brentq(lambda x: x - 1, 0, 3), scipy.integrate.quad(lambda x: x, 0, 1)
    scipy.integrate.solve_ivp(lambda _, y: -y, (0, 1), [1.0]), scipy.linalg.inv([[2.0]])
    scipy.stats.linregress([1, 2, 3], [1, 2, 4]), scipy.stats.ttest_ind([1, 2, 3], [2, 3, 5])
    scipy.stats.norm.cdf(0), scipy.interpolate.interp1d([1, 2], [3, 4])(1.5)


def _prepare_sympy(sympy: Any) -> None:
    """Use the features of sympy that first-year programs use, and register its types."""
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


_PREPARATIONS: Final[dict[str, Callable[[Any], None]]] = {
    "numpy": _prepare_numpy,
    "pandas": _prepare_pandas,
    "matplotlib": _prepare_matplotlib,
    "scipy": _prepare_scipy,
    "sympy": _prepare_sympy,
    **PREPARATIONS,
}
