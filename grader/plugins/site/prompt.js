// The prompt: runs a failing session line by line with current results, then lines that are typed.

const TYPED_PROMPT = /^(>>> |\.\.\. ?)/; // prompts before lines that are pasted from a page

class Prompt {
  // `request` sends a request to the judge; `currentFiles` returns the current files.
  constructor(words, request, currentFiles) {
    Object.assign(this, { words, request, currentFiles, sessions: [], lines: [], chosen: 0 });
    this.history = [];
    this.recalled = 0;
    this.isStale = false; // whether a later check returned new sessions
    this.wanted = null; // the case to show once a check finds that it fails
    this.open = []; // typed lines that have not run yet
    this.lastRequest = Promise.resolve(); // lines that are typed early wait until their session has run
    element("prompt").addEventListener("toggle", () => { if (element("prompt").open && this.isStale) this.begin(); });
    element("session").addEventListener("change", () => this.begin());
    element("anew").addEventListener("click", () => this.begin());
    element("typed").addEventListener("keydown", (event) => this.onKey(event));
  }

  // Offer `sessions` to run. An open prompt starts again.
  offer(sessions) {
    const chosen = this.wanted ?? element("session").value;
    const options = sessions.map(({ id, code }) => new Option(`${id}: ${code}`, id, false, id === chosen));
    this.sessions = sessions;
    element("session").replaceChildren(...options);
    element("which-session").hidden = !sessions.length;
    element("prompt").hidden = false;
    this.isStale = true;
    if (this.wanted !== null) element("prompt").open = true;
    if (element("prompt").open) this.begin();
    this.wanted = null;
  }

  // Run the session of the case `id`: now, or after the next check if it fails then.
  show(id) {
    this.wanted = id;
    if (this.sessions.some((session) => session.id === id)) this.offer(this.sessions);
  }

  begin() {
    this.isStale = false;
    element("log").replaceChildren();
    this.lines = this.sessions.find(({ id }) => id === element("session").value)?.lines ?? [];
    this.chosen++;
    this.afterLastRequest(() => this.runLines((answer) => this.showAnswer(answer)));
  }

  // Call `act` after all earlier requests, unless another session has been chosen by then.
  afterLastRequest(act) {
    const chosen = this.chosen;
    this.lastRequest = this.lastRequest.then(() => chosen === this.chosen && act());
  }

  // Run the lines from the start, and pass their results to `showAnswer`. A line that ends the
  // executor is left out the next time, so that the student can type after the others.
  async runLines(showAnswer = () => {}) {
    this.setOpen([]);
    element("sign").textContent = "\u2026";
    element("typed").readOnly = false;
    const id = element("session").value;
    const data = { ask: "prompt", files: this.currentFiles(), id, lines: this.lines };
    const answers = await this.requestUnlessChanged(data);
    if (!answers) return;
    answers.forEach(showAnswer);
    const last = answers.length - 1;
    if (!answers[last].has_ended) {
      this.setOpen([]);
    } else if (last > 0) {
      this.lines = this.lines.slice(0, last - 1);
      await this.runLines();
    } else {
      element("typed").readOnly = true; // the import itself ends the executor
    }
  }

  // Return the answer of the judge, or null if another session has been chosen meanwhile.
  async requestUnlessChanged(data) {
    const chosen = this.chosen;
    const { answer, trouble } = await this.request(data);
    if (chosen !== this.chosen) return null;
    if (trouble) this.write(trouble);
    return answer ?? null;
  }

  write(text, kind = "said") {
    if (!text) return;
    const part = document.createElement("div");
    part.className = kind;
    part.textContent = text;
    element("log").append(part);
    element("log").scrollTop = element("log").scrollHeight;
  }

  showAnswer({ code, text }) {
    const lines = code ? code.split("\n") : [];
    this.write(lines.map((line, index) => `${index ? "..." : ">>>"} ${line}`).join("\n"), "typed-line");
    this.write(text);
  }

  setOpen(lines) {
    this.open = lines;
    element("sign").textContent = lines.length ? "..." : ">>>";
  }

  onKey(event) {
    const field = element("typed");
    if (event.isComposing || field.readOnly) return;
    if (event.key === "Enter" && !event.shiftKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      const lines = field.value.split("\n").map((line) => line.replace(TYPED_PROMPT, "").trimEnd());
      const last = lines.at(-1);
      field.value = last.match(/^\s*/)[0] + (last.endsWith(":") ? "    " : "");
      this.afterLastRequest(() => this.runTyped(lines));
    } else if ((event.key === "ArrowUp" || event.key === "ArrowDown") && !field.value.includes("\n")) {
      event.preventDefault();
      const moved = this.recalled + (event.key === "ArrowUp" ? -1 : 1);
      this.recalled = Math.max(0, Math.min(this.history.length, moved));
      field.value = this.history[this.recalled] ?? "";
    }
  }

  async runTyped(lines) {
    const chosen = this.chosen;
    for (const line of lines) {
      if (element("typed").readOnly || chosen !== this.chosen) return;
      if (line.trim() && line !== this.history.at(-1)) this.history.push(line);
      this.recalled = this.history.length;
      await this.run(line);
    }
  }

  async run(line) {
    const lines = [...this.open, line];
    this.write(`${element("sign").textContent} ${line}`, "typed-line");
    const answers = await this.requestUnlessChanged({ ask: "typed", text: lines.join("\n") });
    if (!answers) return;
    const [{ text, is_open: isOpen, has_ended: hasEnded }] = answers;
    this.setOpen(isOpen ? lines : []);
    this.write(text);
    if (hasEnded) {
      this.write(this.words.restarted);
      await this.runLines();
    }
  }
}
