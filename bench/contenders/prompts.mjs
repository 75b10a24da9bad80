/** The prompts of a session of the official SDK: each is yielded when it is sent. */
export class Prompts {
  #waiting = [];
  #wake = () => {};
  #over = false;

  send(content) {
    this.#waiting.push({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' });
    this.#wake();
  }

  end() {
    this.#over = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator]() {
    while (!this.#over || this.#waiting.length > 0) {
      const next = this.#waiting.shift();
      if (next) yield next;
      else
        await new Promise((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
