import { usdPerDelete, usdPerRead, usdPerWrite } from '../../../../shared/contract/list-prices.ts';
import { type ConfirmedDeletions, deletionCount } from '../data/confirmed-deletions.ts';
import type { MergeMode, Plan } from '../data/restores.ts';
import { formatAboutUsd, formatCount, formatPlural } from '../format/format-number.ts';
import { Badge, type Tone } from '../ui/data/badge.tsx';
import { Notice } from '../ui/data/notice.tsx';
import { DeletionList } from './deletion-list.tsx';
import { MissingNames } from './missing-names.tsx';

interface PlanViewProps {
  readonly plan: Plan;
  readonly mode: MergeMode;
  readonly targetName: string;
  /** What was confirmed before the target has changed. */
  readonly confirmed?: ConfirmedDeletions | undefined;
}

/** What a restore or an undo would do: counts, everything that is deleted first, then other changes and the cost. */
export const PlanView = ({ plan, mode, targetName, confirmed }: PlanViewProps) => {
  const { create, overwrite, skip, unchanged, delete: deleted, changes, deletions, authUsers, documentsErased } = plan;
  const others = changes?.filter(({ action }) => action !== 'delete') ?? [];
  return (
    <div className="stack">
      <ul className="plan__counts" aria-label="What will happen">
        <Count value={create} label="created" />
        <Count value={overwrite} label={mode === 'merge' ? 'merged' : 'replaced'} />
        <Count value={deleted} label="deleted" tone={deleted > 0 ? 'bad' : undefined} />
        {skip > 0 && <Count value={skip} label="kept as they are" />}
        <Count value={unchanged} label="already equal" />
        {documentsErased > 0 && <Count value={documentsErased} label="erased, left out" />}
      </ul>
      <MissingNames names={plan.missing} />
      {deletionCount(plan) > 0 && (
        <DeletionList paths={deletions} total={deletionCount(plan)} targetName={targetName} confirmed={confirmed} />
      )}
      {authUsers && (
        <p className="secondary">
          Users of Firebase Authentication: {formatCount(authUsers.create)} created, {formatCount(authUsers.overwrite)} replaced,{' '}
          {formatCount(authUsers.skip)} kept as they are.
        </p>
      )}
      {others.length > 0 && <Changes changes={others} total={create + overwrite + skip} hasDeletions={deleted > 0} />}
      <PlanCost plan={plan} />
    </div>
  );
};

const Count = ({ value, label, tone }: { readonly value: number; readonly label: string; readonly tone?: 'bad' | undefined }) => (
  <li className={`plan__count${tone ? ` plan__count--${tone}` : ''}${value === 0 ? ' plan__count--none' : ''}`}>
    <span className="plan__number number">{formatCount(value)}</span>
    <span className="plan__label">{label}</span>
  </li>
);

const actions: Readonly<Record<string, readonly [word: string, tone: Tone]>> = {
  create: ['Create', 'good'],
  overwrite: ['Replace', 'info'],
  skip: ['Keep', 'neutral'],
};

interface ChangesProps {
  readonly changes: NonNullable<Plan['changes']>;
  readonly total: number;
  readonly hasDeletions: boolean;
}

const Changes = ({ changes, total, hasDeletions }: ChangesProps) => (
  <details className="plan__changes" open={changes.length <= 12}>
    <summary>
      {total > changes.length
        ? `The first ${changes.length} of ${formatCount(total)} ${hasDeletions ? 'other changes' : 'changes'}`
        : hasDeletions
          ? 'Other changes'
          : 'Changes'}
    </summary>
    <ul className="plan__list">
      {changes.map(({ path, action }) => {
        const [word, tone] = actions[action] ?? [action, 'neutral'];
        return (
          <li key={path}>
            <Badge tone={tone}>{word}</Badge> <code className="wrap-anywhere">{path}</code>
          </li>
        );
      })}
    </ul>
  </details>
);

/** The check of the restore reads again what the plan has read. */
const PlanCost = ({ plan: { create, overwrite, delete: deleted, reads } }: { readonly plan: Plan }) => {
  const usd = reads * usdPerRead + (create + overwrite) * usdPerWrite + deleted * usdPerDelete;
  return (
    <p className="small muted">
      This plan read {formatPlural(reads, 'document')} of the target. Running it will cost {formatAboutUsd(usd)} at Google&apos;s
      list prices: {formatPlural(reads, 'read')}, {formatPlural(create + overwrite, 'write')}, {formatPlural(deleted, 'delete')}.
    </p>
  );
};

/** Nothing would change. */
export const isIdle = (plan: Plan): boolean =>
  plan.create + plan.overwrite + deletionCount(plan) + (plan.authUsers?.create ?? 0) + (plan.authUsers?.overwrite ?? 0) === 0;

export const IdleNotice = ({ targetName }: { readonly targetName: string }) => (
  <Notice tone="good" title="There is nothing to do">
    {targetName} already has everything as it would be afterwards.
  </Notice>
);
