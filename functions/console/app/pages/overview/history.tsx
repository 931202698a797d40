import type { Overview } from '../../data/overview.ts';
import { formatBytes, formatCompact, formatCompactBytes, formatCount } from '../../format/format-number.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import { Card } from '../../ui/data/card.tsx';

/** Stored bytes and documents of the last 30 days. */
export const History = ({ history: { days, complete } }: { readonly history: Overview['history'] }) => {
  const times = days.map(({ date }) => Date.parse(date) / 1_000);
  const period = complete ? 'last 30 days' : 'without older backups';
  const last = days.at(-1);
  return (
    <div className="overview__charts">
      <Card title="Stored data" description={`${formatBytes(last?.storedBytes ?? 0)} now, ${period}`}>
        <Chart
          label="Stored data by day"
          times={times}
          values={days.map(({ storedBytes }) => storedBytes)}
          format={formatBytes}
          formatAxis={formatCompactBytes}
          color="--chart-1"
        />
      </Card>
      <Card title="Documents backed up" description={`${formatCount(last?.documents ?? 0)} today, ${period}`}>
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
