import type { Overview } from '../../data/overview.ts';
import { formatBytes, formatCompact, formatCount } from '../../format/format-number.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import { Card } from '../../ui/data/card.tsx';

/** Stored bytes and documents of the last 30 days. */
export const History = ({ history: { days, complete } }: { readonly history: Overview['history'] }) => {
  const times = days.map(({ date }) => Date.parse(date) / 1_000);
  const note = complete ? undefined : 'Older backups are not included';
  const last = days.at(-1);
  return (
    <div className="overview__charts">
      <Card title="Stored data" description={note ?? `${formatBytes(last?.storedBytes ?? 0)} now, last 30 days`}>
        <Chart
          label="Stored data by day"
          times={times}
          values={days.map(({ storedBytes }) => storedBytes)}
          format={formatBytes}
          formatAxis={formatBytes}
          color="--chart-1"
        />
      </Card>
      <Card title="Documents backed up" description={note ?? `${formatCount(last?.documents ?? 0)} today, last 30 days`}>
        <Chart
          label="Documents backed up by day"
          times={times}
          values={days.map(({ documents }) => documents)}
          format={formatCount}
          formatAxis={formatCompact}
          color="--chart-2"
        />
      </Card>
    </div>
  );
};
