/** Heights of the rows of a long list: measured where known, estimated elsewhere. Every operation takes O(log n). */
export class Heights {
  private sums: Float64Array = new Float64Array(1025);
  private heights: Float64Array = new Float64Array(1024);
  private length = 0;

  /** The number of rows. */
  get size(): number {
    return this.length;
  }

  /** The total height of all rows. */
  get total(): number {
    return this.offsetOf(this.length);
  }

  /** Adds a row at the end. */
  push(height: number): void {
    if (this.length === this.heights.length) this.grow();
    this.length++;
    this.set(this.length - 1, height);
  }

  /** Removes all rows from `size` on. */
  truncate(size: number): void {
    for (let row = this.length - 1; row >= size; row--) this.set(row, 0);
    this.length = Math.min(this.length, size);
  }

  /** The height of a row. */
  of(row: number): number {
    return this.heights[row] ?? 0;
  }

  /** Sets the height of a row and returns the difference to its previous height. */
  set(row: number, height: number): number {
    const change = height - this.of(row);
    if (change === 0) return 0;
    this.heights[row] = height;
    for (let node = row + 1; node < this.sums.length; node += node & -node)
      this.sums[node] = (this.sums[node] ?? 0) + change;
    return change;
  }

  /** The distance from the top of the list to the top of a row. */
  offsetOf(row: number): number {
    let sum = 0;
    for (let node = Math.min(row, this.length); node > 0; node -= node & -node) sum += this.sums[node] ?? 0;
    return sum;
  }

  /** The row at a distance from the top of the list. */
  rowAt(offset: number): number {
    let row = 0;
    let rest = offset;
    for (let step = this.heights.length; step > 0; step >>= 1) {
      const next = row + step;
      const sum = this.sums[next];
      if (next <= this.length && sum !== undefined && sum <= rest) {
        row = next;
        rest -= sum;
      }
    }
    return Math.max(0, Math.min(row, this.length - 1));
  }

  private grow(): void {
    const heights = new Float64Array(this.heights.length * 2);
    heights.set(this.heights);
    this.heights = heights;
    this.sums = new Float64Array(heights.length + 1);
    for (let node = 1; node < this.sums.length; node++) {
      const parent = node + (node & -node);
      this.sums[node] = (this.sums[node] ?? 0) + (heights[node - 1] ?? 0);
      if (parent < this.sums.length) this.sums[parent] = (this.sums[parent] ?? 0) + (this.sums[node] ?? 0);
    }
  }
}
