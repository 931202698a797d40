import { type ReactNode, useState } from 'react';
import { depthWords, keptBecause, notVerifiedBecause } from '../../data/backup-words.ts';
import { type Backup, type BulkKind, type BulkResult, useBulkChange, type VerifyDepth } from '../../data/backups.ts';
import { describeFailure } from '../../format/describe-failure.ts';
import { formatBytes, formatCount, formatPlural } from '../../format/format-number.ts';
import { formatMoment } from '../../format/format-time.ts';
import { Progress } from '../../ui/data/progress.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Choice } from '../../ui/form/choice.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';

interface BulkDialogProps {
  readonly kind: BulkKind;
  readonly backups: readonly Backup[];
  readonly onClose: () => void;
}

const words = {
  delete: { verb: 'Delete', done: 'deleted', not: 'kept', refusal: keptBecause },
  verify: { verb: 'Verify', done: 'being verified', not: 'not', refusal: notVerifiedBecause },
} as const;

const depths = Object.keys(depthWords) as VerifyDepth[];

export const backupName = ({ createdAt, projectName }: Backup): string =>
  `${projectName ?? 'Removed project'}, ${formatMoment(new Date(createdAt))}`;

/** One confirmation for several backups, which names those that are left out and why; then the result of each. */
export const BulkDialog = ({ kind, backups, onClose }: BulkDialogProps) => {
  const { verb, refusal } = words[kind];
  // As they were when the dialog opened: the list behind it is read again meanwhile.
  const [chosen] = useState(() => backups.map((backup) => ({ backup, problem: refusal(backup) })));
  const [depth, setDepth] = useState<VerifyDepth>('structure');
  const [results, setResults] = useState<readonly BulkResult[]>();
  const change = useBulkChange(kind);
  const possible = chosen.flatMap(({ backup, problem }) => (problem === undefined ? [backup] : []));
  const refused = chosen.filter(({ problem }) => problem !== undefined);
  const count = formatPlural(possible.length, 'backup');
  const start = (): void => {
    setResults([]);
    change.mutate({ backups: possible, depth, onResult: setResults });
  };
  if (results)
    return (
      <ResultDialog
        results={results}
        total={possible.length}
        refused={refused}
        title={`${verb} ${count}`}
        words={words[kind]}
        onClose={onClose}
      />
    );
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`${verb} ${count}?`}
      action={`${verb} ${count}`}
      danger={kind === 'delete'}
      {...(kind === 'delete' && { typed: `delete ${count}` })}
      reason={
        possible.length === 0 ? `None of the selected backups can be ${kind === 'delete' ? 'deleted' : 'verified'}.` : undefined
      }
      onConfirm={start}
    >
      <div className="stack">
        {kind === 'delete' && possible.length > 0 && (
          <p>
            {formatBytes(possible.reduce((total, { size }) => total + size, 0))} in {storageNames(possible)} will be deleted and
            can no longer be restored: {countsByProject(possible)}. This cannot be undone. Other backups and the live databases
            are not touched.
          </p>
        )}
        {kind === 'verify' && possible.length > 0 && (
          <Choice
            label="How thoroughly"
            value={depth}
            options={depths.map((value) => [value, depthWords[value].name, depthWords[value].plan] as const)}
            onChange={setDepth}
          />
        )}
        {refused.length > 0 && (
          <div>
            <strong>{formatPlural(refused.length, 'backup')} will be left out:</strong>
            <BulkList>
              {refused.map(({ backup, problem }) => (
                <BulkLine key={backup.id} backup={backup} problem={problem} />
              ))}
            </BulkList>
          </div>
        )}
      </div>
    </ConfirmDialog>
  );
};

/** "2 backups of Shop, 1 backup of Blog" */
const countsByProject = (backups: readonly Backup[]): string =>
  [...Map.groupBy(backups, ({ projectId }) => projectId).values()]
    .map((own) => `${formatPlural(own.length, 'backup')} of ${own[0]?.projectName ?? 'a removed project'}`)
    .join(', ');

const storageNames = (backups: readonly Backup[]): string =>
  [...new Set(backups.map(({ storageDestination }) => storageDestination.name))].join(', ');

interface ResultDialogProps {
  readonly results: readonly BulkResult[];
  readonly total: number;
  /** Those that were selected, too, but were not tried. */
  readonly refused: readonly Refused[];
  readonly title: string;
  readonly words: ResultWords;
  readonly onClose: () => void;
}

interface ResultWords {
  readonly done: string;
  /** What those are that did not work. */
  readonly not: string;
}

interface Refused {
  readonly backup: Backup;
  readonly problem: string | undefined;
}

const ResultDialog = ({ results, total, refused, title, words: { done, not }, onClose }: ResultDialogProps) => {
  const isOver = results.length === total;
  const worked = results.filter(({ error }) => error === undefined).length;
  const selected = total + refused.length;
  return (
    <Dialog
      open
      stays={!isOver}
      onClose={onClose}
      title={title}
      actions={
        <Button variant="primary" disabledReason={isOver ? undefined : 'It is not finished yet.'} onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="stack">
        <div role="status">
          {isOver ? (
            <p>
              {worked === selected
                ? `${formatPlural(worked, 'backup')} ${areOf(worked)} ${done}.`
                : `${formatCount(worked)} of ${formatPlural(selected, 'backup')} ${areOf(worked)} ${done}, ${formatCount(selected - worked)} ${areOf(selected - worked)} ${not}.`}
            </p>
          ) : (
            <Progress
              label={`${formatCount(results.length)} of ${formatCount(total)}`}
              percent={(100 * results.length) / total}
            />
          )}
        </div>
        <BulkList>
          {results.map(({ backup, error }) => (
            <BulkLine key={backup.id} backup={backup} isDone={!error} problem={error && describeFailure(error).message} />
          ))}
          {isOver && refused.map(({ backup, problem }) => <BulkLine key={backup.id} backup={backup} problem={problem} />)}
        </BulkList>
      </div>
    </Dialog>
  );
};

const areOf = (count: number): string => (count === 1 ? 'is' : 'are');

const BulkList = ({ children }: { readonly children: ReactNode }) => <ul className="bulk__list">{children}</ul>;

interface BulkLineProps {
  readonly backup: Backup;
  readonly isDone?: boolean;
  readonly problem: string | undefined;
}

const BulkLine = ({ backup, isDone = false, problem }: BulkLineProps) => (
  <li className={isDone ? 'bulk__line' : 'bulk__line bulk__line--bad'}>
    <Icon name={isDone ? 'check' : 'alert'} size={16} />
    <span>
      {backupName(backup)}
      {problem && <span className="small secondary bulk__problem">{problem}</span>}
    </span>
  </li>
);
