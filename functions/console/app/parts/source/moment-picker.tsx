import { Link } from '@tanstack/react-router';
import { type Project, usePitr } from '../../data/projects.ts';
import { formatSecond, formatUtc, ownTimeZone } from '../../format/format-time.ts';
import { fromLocalInput, toLocalInput } from '../../format/local-time.ts';
import { paths } from '../../paths.ts';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Input } from '../../ui/form/field.tsx';
import type { MomentWindow } from './window-at.ts';

interface MomentPickerProps {
  readonly project: Project | undefined;
  readonly value: string | undefined;
  /** Of the value. */
  readonly window: MomentWindow | null | undefined;
  /** What a person can do about a moment that is not complete. */
  readonly incompleteAdvice: string;
  readonly onChange: (at: string) => void;
}

export const MomentPicker = ({ project, ...rest }: MomentPickerProps) => {
  if (!project) return <Notice title="Choose the project first">Each project has points in time of its own.</Notice>;
  return <MomentOf project={project} {...rest} />;
};

const MomentOf = ({ project, value, window, incompleteAdvice, onChange }: MomentPickerProps & { readonly project: Project }) => {
  const { data: pitr, error, refetch } = usePitr(project.id);
  if (error && !pitr)
    return <ErrorNotice error={error} title="Point-in-time recovery could not be loaded" onRetry={() => void refetch()} />;
  if (!pitr) return <SkeletonText />;
  const { earliestRestorableAt: earliest, latestRestorableAt: latest } = pitr;
  if (!earliest || !latest)
    return (
      <Notice tone="warn" title={pitr.enabled ? 'Not restorable yet' : 'Point-in-time recovery is off'}>
        {pitr.enabled
          ? 'Points in time can be restored once the first base backup and the first capture are complete.'
          : `Without it only backups of ${project.name} can be restored.`}{' '}
        <Link to={paths.project(project.id, 'point-in-time')}>Point in time of {project.name}</Link>
      </Notice>
    );
  return (
    <div className="stack">
      <div className="stack stack--medium source__moment">
        <Input
          label="Date and time"
          hint={`${ownTimeZone()}, to the second${value === undefined ? '' : ` · ${formatUtc(new Date(value))}`}`}
          type="datetime-local"
          step={1}
          min={toLocalInput(earliest)}
          max={toLocalInput(latest)}
          value={value === undefined ? '' : toLocalInput(value)}
          onChange={({ target }) => target.value && onChange(fromLocalInput(target.value))}
        />
        <QuickChoices earliest={earliest} latest={latest} value={value} onChange={onChange} />
      </div>
      <p className="secondary">
        Restorable from {formatSecond(new Date(earliest))} to {formatSecond(new Date(latest))}.{' '}
        <Link to={paths.project(project.id, 'point-in-time')}>See the timeline</Link>
      </p>
      {window === null && (
        <Notice tone="warn" title="This point in time cannot be restored">
          It lies in a gap, or outside of what was captured. Choose another one, or a backup.
        </Notice>
      )}
      {window && !window.complete && (
        <Notice tone="warn" title="This point in time is not complete">
          Changes of some collections were not captured. {incompleteAdvice}
        </Notice>
      )}
    </div>
  );
};

const minuteMs = 60_000;
const steps = [
  ['5 minutes earlier', 5 * minuteMs],
  ['15 minutes earlier', 15 * minuteMs],
  ['1 hour earlier', 60 * minuteMs],
  ['1 day earlier', 24 * 60 * minuteMs],
] as const;

interface QuickChoicesProps extends Pick<MomentPickerProps, 'value' | 'onChange'> {
  readonly earliest: string;
  readonly latest: string;
}

/** The latest second, and steps back from the chosen one. */
const QuickChoices = ({ earliest, latest, value, onChange }: QuickChoicesProps) => {
  const end = Math.floor(Date.parse(latest) / 1_000) * 1_000;
  const from = value === undefined ? end : Date.parse(value);
  const choose = (ms: number): void => onChange(new Date(ms).toISOString());
  return (
    <div className="row">
      <Button size="small" onClick={() => choose(end)}>
        Latest
      </Button>
      {steps.map(([label, ms]) => (
        <Button
          key={label}
          size="small"
          disabledReason={from - ms < Date.parse(earliest) ? 'Nothing was captured that early' : undefined}
          onClick={() => choose(from - ms)}
        >
          {label}
        </Button>
      ))}
    </div>
  );
};
