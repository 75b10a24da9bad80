import type { ComponentChild } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { theme } from '../layout/theme.tsx';

/** The options of a plot; colours are names of design tokens. */
export interface PlotProps {
  readonly label: string;
  readonly data: uPlot.AlignedData;
  readonly series: readonly (uPlot.Series & { readonly token: string; readonly fillToken?: string })[];
  readonly format: (value: number) => string;
  /** A round value above all others whose half is also round. */
  readonly top: (max: number) => number;
  /** Called with the index of the clicked point. */
  readonly onPick?: (index: number) => void;
  /** Called with the index under the pointer. */
  readonly onHover: (index: number | null) => void;
}

const HEIGHT = 168;
const HALF_DAY = 43_200;

/** A plot over days, in the colours of the theme. */
export function Plot({ label, data, series, format, top, onPick, onHover }: PlotProps): ComponentChild {
  const box = useRef<HTMLDivElement>(null);
  const currentTheme = theme.value;
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const text = colour(element, '--text-3');
    const grid = { stroke: colour(element, '--line'), width: 1 };
    const axis = { stroke: text, grid, ticks: { show: false }, font: '12px Inter, system-ui, sans-serif' };
    const plot = new uPlot(
      {
        width: Math.max(200, element.clientWidth),
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
        scales: {
          x: { time: true, range: (_plot, min, max) => [min - HALF_DAY, max + HALF_DAY] },
          y: { range: (_plot, _min, max) => [0, top(max)] },
        },
        axes: [
          { ...axis, grid: { show: false }, space: 72, values: (_plot, days) => days.map(dayLabel) },
          {
            ...axis,
            size: 60,
            splits: (_plot, _axis, _min, max) => [0, max / 2, max],
            values: (_plot, values) => values.map(format),
          },
        ],
        series: [
          {},
          ...series.map(({ token, fillToken, ...rest }, at) => ({
            ...rest,
            stroke: colour(element, token),
            ...(fillToken === undefined ? {} : { fill: colour(element, fillToken) }),
            // A line through one value would be invisible.
            points: { show: valuesIn(data[at + 1]) === 1, size: 7, fill: colour(element, token) },
          })),
        ],
        hooks: { setCursor: [(u) => onHover(u.cursor.idx ?? null)] },
      },
      data,
      element,
    );
    const pick = (): void => {
      if (plot.cursor.idx !== null && plot.cursor.idx !== undefined) onPick?.(plot.cursor.idx);
    };
    plot.over.addEventListener('click', pick);
    const sizes = new ResizeObserver(() => plot.setSize({ width: Math.max(200, element.clientWidth), height: HEIGHT }));
    sizes.observe(element);
    return () => {
      sizes.disconnect();
      plot.destroy();
    };
  }, [data, currentTheme]);
  return <div ref={box} class="plot" role="img" aria-label={label} />;
}

function valuesIn(values: uPlot.AlignedData[number] | undefined): number {
  return [...(values ?? [])].filter((value) => value !== null).length;
}

/** The value of a colour token: a canvas does not accept CSS variables. */
function colour(element: HTMLElement, token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function dayLabel(seconds: number): string {
  return new Date(seconds * 1_000).toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
}
