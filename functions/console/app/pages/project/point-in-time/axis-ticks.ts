/** Marks of a time axis at round local times. */
import type { Span } from './coverage.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const steps = [
  ...[1, 5, 10, 30].map((n) => n * second),
  ...[1, 5, 10, 30].map((n) => n * minute),
  ...[1, 3, 6, 12].map((n) => n * hour),
  ...[1, 2, 7, 14, 30, 60, 120].map((n) => n * day),
];

export interface Tick {
  readonly at: number;
  readonly label: string;
  /** Begins a day, where smaller steps are shown. */
  readonly isDay: boolean;
}

const withSeconds = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const withMinutes = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const dates = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

/** At most `max` marks. */
export const ticksOf = ({ from, to }: Span, max: number): readonly Tick[] => {
  const step = steps.find((one) => (to - from) / one <= max) ?? steps.at(-1) ?? day;
  const ticks: Tick[] = [];
  for (let at = firstTick(from, step); at <= to; at = nextTick(at, step)) {
    const isDay = step < day && new Date(at).getHours() === 0 && at % hour === 0 && new Date(at).getMinutes() === 0;
    ticks.push({ at, label: labelOf(at, step, isDay), isDay });
  }
  return ticks;
};

const labelOf = (at: number, step: number, isDay: boolean): string => {
  if (step >= day || isDay) return dates.format(at);
  return (step < minute ? withSeconds : withMinutes).format(at);
};

const firstTick = (from: number, step: number): number => {
  if (step >= day) return new Date(from).setHours(24, 0, 0, 0);
  const offset = new Date(from).getTimezoneOffset() * minute;
  return Math.ceil((from - offset) / step) * step + offset;
};

/** Days have 23 or 25 hours where clocks change. */
const nextTick = (at: number, step: number): number => {
  if (step < day) return at + step;
  const date = new Date(at);
  return date.setDate(date.getDate() + step / day);
};
