interface Preset {
  readonly label: string;
  /** Days in the person's time zone, such as 2026-11-16; undefined for the default of reports. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** The default period, and whole months, quarters and years that are over. */
export const reportPresets = (now: Date): readonly Preset[] => {
  const [year, month] = [now.getFullYear(), now.getMonth()];
  const quarter = month - (month % 3);
  return [
    { label: 'Last 30 days', from: undefined, to: undefined },
    preset('Last month', [year, month - 1], [year, month]),
    preset('Last quarter', [year, quarter - 3], [year, quarter]),
    preset('Last year', [year - 1, 0], [year, 0]),
  ];
};

type Month = readonly [year: number, month: number];

/** From the first day of a month to the last day before another one. */
const preset = (label: string, first: Month, end: Month): Preset => ({
  label,
  from: dayText(new Date(...first, 1)),
  to: dayText(new Date(...end, 0)),
});

const dayText = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
