import { Component, type ComponentChild, createRef, type RefObject } from 'preact';
import { ScrollRegion } from '../layout/scroll-region.tsx';
import { Heights } from './heights.ts';

/** The properties of a virtual list. */
export interface VirtualListProps {
  /** Receives the list, to scroll it. (Preact 11 passes `ref` on to components.) */
  readonly handle: RefObject<VirtualList | null>;
  readonly count: number;
  /** Increases when rows have changed. */
  readonly version: number;
  readonly label: string;
  /** The estimated height of a row before it is measured. */
  readonly estimate: number;
  readonly row: (index: number) => ComponentChild;
  /** Called with the rows that are about to be shown. */
  readonly onRange: (from: number, to: number) => void;
  /** Called with whether the end is in view. */
  readonly onEnd?: (atEnd: boolean) => void;
}

/** Rendered area beyond the edges, in pixels: enough for a flick. */
const OVERSCAN = 500;
/** Distance to the end, in pixels, within which the list follows new rows. */
const END_ZONE = 48;

/**
 * A list that renders only the rows in view. Rows may have any height. It stays at the end when rows are added there, unless
 * the reader has scrolled up; then the visible rows do not move, whatever changes above or below.
 */
export class VirtualList extends Component<VirtualListProps> {
  private readonly scroller = createRef<HTMLDivElement>();
  private readonly heights = new Heights();
  private readonly sizes = new ResizeObserver((changes) => this.measured(changes));
  private atEnd = true;
  private from = 0;
  private to = 0;
  private top = 0;
  private height = 800;
  /** The row to show once its neighbours are measured. */
  private target: number | null = null;

  /** Scrolls to the end and stays there. */
  toEnd(): void {
    this.atEnd = true;
    this.target = null;
    this.stick();
    this.props.onEnd?.(true);
    this.forceUpdate();
  }

  /** Scrolls a row into the upper third. */
  toRow(index: number): void {
    this.target = index;
    this.atEnd = false;
    this.props.onEnd?.(false);
    this.place();
    this.forceUpdate();
  }

  /** Stops following the end: the reader is about to unfold something. */
  hold(): void {
    if (!this.atEnd) return;
    this.atEnd = false;
    this.props.onEnd?.(false);
  }

  /** Scrolls by a fraction of the visible height. */
  page(direction: 1 | -1): void {
    this.scroller.current?.scrollBy({ top: direction * this.height * 0.85 });
  }

  override componentDidMount(): void {
    this.props.handle.current = this;
    if (this.scroller.current) this.sizes.observe(this.scroller.current);
    this.componentDidUpdate();
  }

  override componentDidUpdate(): void {
    if (this.atEnd) this.stick();
    else this.place();
    this.props.onRange(this.from, this.to);
  }

  override componentWillUnmount(): void {
    this.sizes.disconnect();
  }

  render(): ComponentChild {
    const { count, estimate } = this.props;
    if (count < this.heights.size) this.heights.truncate(count);
    while (this.heights.size < count) this.heights.push(estimate);
    const top = this.atEnd ? Math.max(0, this.heights.total - this.height) : this.top;
    this.from = this.heights.rowAt(Math.max(0, top - OVERSCAN));
    this.to = Math.min(count, this.heights.rowAt(top + this.height + OVERSCAN) + 1);
    const rows: ComponentChild[] = [];
    for (let index = this.from; index < this.to; index++) rows.push(this.row(index, 'shown'));
    // Removing an element removes the focus, so the focused row stays on the page.
    const focused = this.focusedRow();
    if (focused !== null && focused < this.from) rows.unshift(this.row(focused, 'above'));
    if (focused !== null && focused >= this.to && focused < count) rows.push(this.row(focused, 'below'));
    return (
      <ScrollRegion box={this.scroller} name="scroller" label={this.props.label} onScroll={this.scrolled}>
        <div class="virtual-all" style={{ height: `${this.heights.total}px` }}>
          <div class="virtual-window" style={{ transform: `translateY(${this.heights.offsetOf(this.from)}px)` }}>
            {rows}
          </div>
        </div>
      </ScrollRegion>
    );
  }

  private row(index: number, place: MeasuredRowProps['place']): ComponentChild {
    return (
      <MeasuredRow key={index} index={index} sizes={this.sizes} place={place}>
        {this.props.row(index)}
      </MeasuredRow>
    );
  }

  private focusedRow(): number | null {
    const row = document.activeElement?.closest<HTMLElement>('.virtual-row');
    return row && this.scroller.current?.contains(row) ? Number(row.dataset.row) : null;
  }

  private measured(changes: readonly ResizeObserverEntry[]): void {
    let above = 0;
    let changed = false;
    const scroller = this.scroller.current;
    if (scroller === null) return;
    for (const { target, borderBoxSize, contentRect } of changes) {
      if (target === scroller) {
        changed ||= this.height !== contentRect.height;
        this.height = contentRect.height;
        continue;
      }
      const index = Number((target as HTMLElement).dataset.row);
      const height = borderBoxSize[0]?.blockSize ?? contentRect.height;
      if (!target.isConnected || index >= this.heights.size) continue;
      const bottom = this.heights.offsetOf(index) + this.heights.of(index);
      const change = this.heights.set(index, height);
      changed ||= change !== 0;
      // If a row above the view grows, the visible rows keep their position.
      if (change !== 0 && bottom <= this.top + 1) above += change;
    }
    if (!changed) return;
    if (!this.atEnd && this.target === null && above !== 0) {
      this.resize();
      scroller.scrollTop = this.top + above;
      this.top = scroller.scrollTop;
    }
    this.forceUpdate();
  }

  private readonly scrolled = (): void => {
    const scroller = this.scroller.current;
    if (scroller === null || Math.abs(scroller.scrollTop - this.top) < 1) return;
    const atEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < END_ZONE;
    this.top = scroller.scrollTop;
    this.target = null;
    if (atEnd !== this.atEnd) {
      this.atEnd = atEnd;
      this.props.onEnd?.(atEnd);
    }
    const first = this.heights.rowAt(Math.max(0, this.top - OVERSCAN / 2));
    const last = this.heights.rowAt(this.top + this.height + OVERSCAN / 2);
    if (first < this.from || last >= this.to) this.forceUpdate();
  };

  private stick(): void {
    const scroller = this.scroller.current;
    if (scroller === null) return;
    this.resize();
    scroller.scrollTop = scroller.scrollHeight;
    this.top = scroller.scrollTop;
  }

  private place(): void {
    const scroller = this.scroller.current;
    if (scroller === null || this.target === null || this.target >= this.heights.size) return;
    this.resize();
    scroller.scrollTop = Math.max(0, this.heights.offsetOf(this.target) - this.height / 4);
    const moved = Math.abs(scroller.scrollTop - this.top) > 1;
    this.top = scroller.scrollTop;
    if (moved) this.forceUpdate();
  }

  /** Sets the height of the list before scrolling; rendering sets it only afterwards. */
  private resize(): void {
    const all = this.scroller.current?.firstElementChild;
    if (all instanceof HTMLElement) all.style.height = `${this.heights.total}px`;
  }
}

interface MeasuredRowProps {
  readonly index: number;
  readonly sizes: ResizeObserver;
  /** Rows above and below are out of view and take no space between the visible rows. */
  readonly place: 'shown' | 'above' | 'below';
  readonly children?: ComponentChild;
}

/** A row whose height is measured while it is on the page. */
class MeasuredRow extends Component<MeasuredRowProps> {
  private readonly box = createRef<HTMLDivElement>();

  override componentDidMount(): void {
    const { current } = this.box;
    if (current === null) return;
    current.dataset.row = String(this.props.index);
    this.props.sizes.observe(current);
  }

  override componentWillUnmount(): void {
    if (this.box.current) this.props.sizes.unobserve(this.box.current);
  }

  render(): ComponentChild {
    return (
      <div ref={this.box} class="virtual-row" data-place={this.props.place}>
        {this.props.children}
      </div>
    );
  }
}
