// The editor: CodeMirror, with the text of each open file, and the lines that a check has marked.

class Editor {
  // `changed` is called after typing, `open` to switch to a file.
  constructor(parent, words, { changed, open }) {
    Object.assign(this, { parent, words, changed, open });
    this.texts = new Map();
    this.typedIn = new Set();
    this.shown = null;
    this.view = null;
  }

  createState(doc) {
    const { EditorView, keymap, ...all } = CodeMirror;
    return all.EditorState.create({
      doc,
      extensions: [
        EditorView.cspNonce.of("editor"),
        EditorView.contentAttributes.of({
          id: "code", tabindex: "0", "aria-labelledby": "code-label", "aria-describedby": "code-keys", translate: "no",
        }),
        EditorView.updateListener.of((update) => this.onUpdate(update)),
        all.python(), all.indentUnit.of("    "), all.EditorState.tabSize.of(4),
        all.syntaxHighlighting(all.classHighlighter),
        all.lineNumbers(), all.lintGutter(), all.history(), all.drawSelection(), all.indentOnInput(),
        all.bracketMatching(), all.highlightActiveLine(), all.highlightActiveLineGutter(),
        // Ctrl+Enter does nothing here, as the page handles it.
        keymap.of([{ key: "Mod-Enter", run: () => true }, { key: "F8", run: all.nextDiagnostic },
          all.indentWithTab, ...all.defaultKeymap, ...all.historyKeymap]),
      ],
    });
  }

  onUpdate({ docChanged, transactions, state }) {
    if (this.shown === null) return;
    this.texts.set(this.shown, state);
    if (!docChanged || !transactions.some((transaction) => transaction.annotation(CodeMirror.Transaction.userEvent))) return;
    this.typedIn.add(this.shown);
    this.changed();
  }

  text(name) { return this.texts.get(name).doc.toString(); }

  update(name, change) {
    if (name === this.shown) this.view.dispatch(change);
    else this.texts.set(name, this.texts.get(name).update(change).state);
  }

  // Set the text of the file `name`. Undo restores its earlier text, or that of the file `inPlaceOf`.
  setText(name, text, inPlaceOf = name) {
    const before = this.texts.get(inPlaceOf);
    if (!before) this.texts.set(name, this.createState(text));
    else {
      this.texts.set(name, before);
      this.update(name, { changes: { from: 0, to: before.doc.length, insert: text } });
    }
    this.typedIn.delete(name);
  }

  // Forget all files except `names`.
  keepOnly(names) {
    for (const name of [...this.texts.keys()]) {
      if (names.includes(name)) continue;
      this.texts.delete(name);
      this.typedIn.delete(name);
    }
  }

  show(name) {
    this.shown = name;
    const state = this.texts.get(name);
    if (this.view) {
      this.view.setState(state);
      this.view.scrollDOM.scrollLeft = 0;
    }
    else this.view = new CodeMirror.EditorView({ state, parent: this.parent });
  }

  // Mark exactly the lines of `marks`, and show them in `list`. Marks move with the text.
  mark(marks, list) {
    const diagnosticsByFile = new Map([...this.texts.keys()].map((name) => [name, []]));
    for (const { file, line, isBad, text } of marks) {
      const doc = this.texts.get(file)?.doc;
      if (!doc || line > doc.lines) continue;
      const { from, to, text: code } = doc.line(line);
      const start = from + code.match(/^\s*/)[0].length;
      diagnosticsByFile.get(file).push({ from: start, to, severity: isBad ? "error" : "info", message: text });
    }
    for (const [name, diagnostics] of diagnosticsByFile) {
      this.update(name, CodeMirror.setDiagnostics(this.texts.get(name), diagnostics));
    }
    const all = [...diagnosticsByFile].flatMap(
      ([name, diagnostics]) => diagnostics.map((diagnostic) => this.entry(name, diagnostic)));
    list.replaceChildren(...all);
    return all.length;
  }

  entry(name, diagnostic) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    const line = this.texts.get(name).doc.lineAt(diagnostic.from).number;
    button.type = "button";
    button.textContent = this.words.line.replace("{line}", this.texts.size > 1 ? `${line} (${name})` : line);
    button.onclick = () => this.goTo(name, diagnostic);
    item.append(button, ` ${diagnostic.message}`);
    return item;
  }

  // The line may have moved, but the diagnostics of the editor have the current position.
  goTo(name, diagnostic) {
    if (name !== this.shown) this.open(name);
    let position = null;
    CodeMirror.forEachDiagnostic(this.view.state, (current, from) => { if (current === diagnostic) position = from; });
    if (position !== null) {
      const effects = CodeMirror.EditorView.scrollIntoView(position, { y: "center" });
      this.view.dispatch({ selection: { anchor: position }, effects });
    }
    this.view.focus();
  }
}
