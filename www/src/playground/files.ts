/** The files a person opened: options of the model picker, each with its file, so that it can be loaded again. */
export class OpenedFiles {
  readonly #files = new Map<string, File>();

  constructor(private readonly picker: HTMLSelectElement) {}

  get(value: string): File | undefined {
    return this.#files.get(value);
  }

  /** Adds an option before the picker's last one, or gives that of the same name the new file. Gives its value. */
  add(file: File): string {
    const value = `file:${file.name}`;
    if (!this.#files.has(value)) {
      this.picker.add(new Option(file.name, value), this.picker.options.length - 1);
    }
    this.#files.set(value, file);
    return value;
  }

  /** After `failed` was no model: its option goes, or goes back to the file that it stood for before. */
  restore(value: string, failed: File, before: File | undefined): void {
    if (this.#files.get(value) !== failed) return; // a later file of the same name
    if (before) {
      this.#files.set(value, before);
      return;
    }
    this.#files.delete(value);
    for (const option of [...this.picker.options]) if (option.value === value) option.remove();
  }
}
