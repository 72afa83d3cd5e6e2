/** A first-in, first-out queue whose operations take constant time. */
export class Queue<T> {
  private items = new Map<number, T>();
  private head = 0;
  private tail = 0;

  get size(): number {
    return this.tail - this.head;
  }

  push(item: T): void {
    this.items.set(this.tail, item);
    this.tail += 1;
  }

  shift(): T | undefined {
    const item = this.items.get(this.head);
    if (this.size > 0) {
      this.items.delete(this.head);
      this.head += 1;
    }
    return item;
  }
}
