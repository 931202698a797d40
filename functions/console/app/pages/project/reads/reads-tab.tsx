import { type ProjectReads, useProject, useProjectReads } from '../../../data/projects.ts';
import { formatCompact, formatCount, formatUsd } from '../../../format/format-number.ts';
import { Chart } from '../../../ui/chart/chart.tsx';
import { Badge } from '../../../ui/data/badge.tsx';
import { Card } from '../../../ui/data/card.tsx';
import { ErrorNotice } from '../../../ui/data/error-notice.tsx';
import { Fact } from '../../../ui/data/fact.tsx';
import { Notice } from '../../../ui/data/notice.tsx';
import { SkeletonText } from '../../../ui/data/skeleton.tsx';
import { type Column, Table } from '../../../ui/data/table.tsx';
import { useParam } from '../../../use-param.ts';
import { BudgetForm } from './budget-form.tsx';
import { DatabaseNotice } from './database-notice.tsx';

/** What the protection of the project reads a day, and what each setting changes. */
export const ReadsTab = () => {
  const projectId = useParam('projectId');
  const { data: project } = useProject(projectId);
  const { data: reads, error, refetch } = useProjectReads(projectId);
  if (error && !reads) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!reads || !project) return <SkeletonText />;
  return (
    <div className="stack">
      <DatabaseNotice database={project.database} />
      {reads.offers.map(({ scheduleId, text, assumption }) => (
        <Notice key={scheduleId} title={text}>
          {assumption}. Capturing is enabled under Point in time.
        </Notice>
      ))}
      <Budget reads={reads} />
      <Days reads={reads} />
      <Choices reads={reads} />
      <BudgetForm project={project} reads={reads} />
    </div>
  );
};

const kinds = [
  ['changes', 'Changes'],
  ['lookups', 'Look-ups'],
  ['listing', 'Listing collections'],
  ['proofs', 'Interruptions'],
  ['counts', 'Counts'],
  ['audit', 'Audit'],
  ['bases', 'Base backups'],
  ['backups', 'Backups'],
] as const;

const unitOf = ({ readPrice: { unit } }: ProjectReads): string => (unit === 'document' ? 'reads' : 'read units');

const Budget = ({ reads }: { readonly reads: ProjectReads }) => {
  const { forecast, budget, consequences, documents, changedPerDay, readPrice } = reads;
  const exceeded = reads.days.filter((day) => day.exceeded);
  return (
    <Card
      title="Forecast"
      description={`List price ${formatUsd(readPrice.usdPerMillion)} per million ${unitOf(reads)}${readPrice.ofLocation ? '' : ', the dearest known: the price of this location is not known'}. Check it with Google.`}
    >
      <div className="stack">
        {exceeded.length > 0 && (
          <Notice tone="warn" title={`The budget was exceeded on ${exceeded.map(({ date }) => date).join(', ')}`}>
            What is captured is read all the same, and so is a backup that was asked for.
          </Notice>
        )}
        <dl className="facts">
          <Fact label="A day" className="number">
            {forecast
              ? `${formatCount(forecast.reads)} ${unitOf(reads)} (${formatUsd(forecast.estimatedUsd)})`
              : 'Known after the first backup'}
          </Fact>
          <Fact label={budget.isDefault ? 'Budget (none is set)' : 'Budget'} className="number">
            {formatCount(budget.reads)} ({formatUsd(budget.estimatedUsd)})
          </Fact>
          <Fact label="Documents" className="number">
            {documents === null ? 'Unknown' : formatCount(documents)}
          </Fact>
          <Fact label="Changed a day" className="number">
            {changedPerDay === null ? 'Unknown' : formatCount(changedPerDay)}
          </Fact>
          {forecast &&
            kinds
              .filter(([kind]) => forecast[kind] > 0)
              .map(([kind, label]) => (
                <Fact key={kind} label={label} className="number">
                  {formatCount(forecast[kind])}
                </Fact>
              ))}
        </dl>
        {consequences.length > 0 && (
          <ul className="stack stack--tight">
            {consequences.map((text) => (
              <li key={text}>{text}.</li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  );
};

type Day = ProjectReads['days'][number];

const dayColumns: readonly Column<Day>[] = [
  { key: 'date', label: 'Day (UTC)', cell: ({ date }) => date, isTitle: true },
  ...kinds.map(([kind, label]): Column<Day> => ({ key: kind, label, cell: (day) => formatCount(day[kind]), isNumber: true })),
  { key: 'reads', label: 'All', cell: ({ reads }) => formatCount(reads), isNumber: true },
  { key: 'usd', label: 'Cost', cell: ({ estimatedUsd }) => formatUsd(estimatedUsd), isNumber: true },
];

const Days = ({ reads }: { readonly reads: ProjectReads }) => {
  const used = reads.days.filter((day) => day.reads > 0).toReversed();
  return (
    <>
      <Card title="Last 30 days">
        <Chart
          label="Reads by day"
          times={reads.days.map(({ date }) => Date.parse(date) / 1_000)}
          values={reads.days.map((day) => day.reads)}
          format={formatCount}
          formatAxis={formatCompact}
          color="--chart-1"
        />
      </Card>
      {used.length > 0 && (
        <Card title="By day and purpose" flush>
          <Table label="Reads by day and purpose" rows={used} rowKey={({ date }) => date} columns={dayColumns} />
        </Card>
      )}
    </>
  );
};

type Choice = ProjectReads['choices'][number];

const choiceWords = ({ setting, value }: Choice): string => {
  if (setting === 'auditDays') return `Everything read again within ${value} days`;
  return value === 'off' ? 'No capture' : value === 'second' ? 'Capture every second' : 'Capture once per interval';
};

const choiceColumns: readonly Column<Choice>[] = [
  {
    key: 'setting',
    label: 'Setting',
    isTitle: true,
    cell: (choice) => (
      <>
        {choiceWords(choice)} {choice.current && <Badge tone="good">Now</Badge>}
      </>
    ),
  },
  { key: 'reads', label: 'Reads a day', cell: ({ reads }) => formatCount(reads), isNumber: true },
  { key: 'usd', label: 'Cost a day', cell: ({ estimatedUsd }) => formatUsd(estimatedUsd), isNumber: true },
  { key: 'consequence', label: 'What it means', cell: ({ consequence }) => consequence },
];

const Choices = ({ reads: { choices } }: { readonly reads: ProjectReads }) =>
  choices.length === 0 ? null : (
    <Card title="What each setting changes" description="With the other settings as they are" flush>
      <Table label="Settings" rows={choices} rowKey={({ setting, value }) => `${setting} ${value}`} columns={choiceColumns} />
    </Card>
  );
