/** The choices of the wizard, as they are kept in the address, and the request they make. */
import type { InputOf } from '../../../../../shared/client/index.ts';
import type { MergeMode } from '../../../../../shared/contract/models/restore.ts';
import { isIncomplete, type MaskRule, readRules } from '../../parts/mask/mask-rules.ts';
import { lostRules, paths } from '../../paths.ts';
import { listOf } from '../../search-text.ts';

const allSteps = ['source', 'scope', 'target', 'mask', 'mode', 'plan'] as const;
export type Step = (typeof allSteps)[number];

/** Data is masked only on its way into another project. */
export const stepsOf = ({ targetProjectId }: Pick<Choice, 'targetProjectId'>): readonly Step[] =>
  targetProjectId === undefined ? allSteps.filter((step) => step !== 'mask') : allSteps;
export type ScopeKind = 'all' | 'collections' | 'documents';

export interface Choice {
  readonly step: Step;
  readonly kind: 'backup' | 'moment';
  readonly backupId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly at?: string | undefined;
  readonly scope: ScopeKind;
  readonly collections: readonly string[];
  /** Of another collection: typed, but not added yet. Kept, so that it cannot be lost unseen. */
  readonly typed: string;
  readonly documents: readonly string[];
  readonly includeSubcollections: boolean;
  /** Undefined: as the service decides. */
  readonly users?: boolean | undefined;
  readonly targetProjectId?: string | undefined;
  readonly mode: MergeMode;
  readonly safetyBackup: boolean;
  readonly maxWritesPerSecond?: number | undefined;
  readonly allowPartial: boolean;
  /** Rules of a masked copy; none copies everything as it is. */
  readonly rules: readonly MaskRule[];
  /** The address says that the copy is masked, but its rules are missing or cannot be read. */
  readonly areRulesLost: boolean;
  /** The restore whose rules were too long for the address. */
  readonly rulesFrom?: string | undefined;
  readonly allowUnmatched: boolean;
  /** The restore whose plan was out of date when it began: the new plan marks what is new. */
  readonly changedFrom?: string | undefined;
}

const modes: readonly string[] = ['overwrite', 'skip_existing', 'merge', 'rollback'];
const scopes: readonly string[] = ['all', 'collections', 'documents'];

const oneOf = <T extends string>(allowed: readonly string[], text: string | undefined, otherwise: T): T =>
  text !== undefined && allowed.includes(text) ? (text as T) : otherwise;

/** Values of the address may be of any type and content. */
export const readChoice = (search: Readonly<Record<string, unknown>>): Choice => {
  const text = (name: string): string | undefined => {
    const value = search[name];
    return value === undefined || value === null || typeof value === 'object' ? undefined : String(value);
  };
  const [collections, documents] = [listOf(text('collections')), listOf(text('documents'))];
  const limit = Number(text('limit'));
  const rules = readRules(search.mask);
  const at = Number.isNaN(Date.parse(text('at') ?? '')) ? undefined : text('at');
  return {
    step: oneOf<Step>(stepsOf({ targetProjectId: text('target') }), text('step'), text('backupId') || at ? 'scope' : 'source'),
    kind: oneOf(['backup', 'moment'], text('source'), at ? 'moment' : 'backup'),
    backupId: text('backupId'),
    projectId: text('projectId'),
    at,
    scope: oneOf<ScopeKind>(
      scopes,
      text('scope'),
      documents.length > 0 ? 'documents' : collections.length > 0 ? 'collections' : 'all',
    ),
    collections,
    typed: listOf(text('typed'))[0] ?? '',
    documents,
    includeSubcollections: text('below') !== 'no',
    users: text('users') === undefined ? undefined : text('users') === 'yes',
    targetProjectId: text('target'),
    mode: oneOf<MergeMode>(modes, text('mode'), 'overwrite'),
    safetyBackup: text('safety') !== 'no',
    maxWritesPerSecond: Number.isInteger(limit) && limit > 0 ? limit : undefined,
    allowPartial: text('partial') === 'yes',
    changedFrom: text('changed'),
    rules: rules ?? [],
    areRulesLost: rules === undefined,
    rulesFrom: text('rules'),
    allowUnmatched: text('unmatched') === 'yes',
  };
};

export const addressOf = (choice: Choice): string =>
  paths.restoreWizard({
    source: choice.kind === 'moment' && choice.at === undefined ? 'moment' : undefined,
    backupId: choice.backupId,
    projectId: choice.projectId,
    at: choice.at,
    scope: choice.scope,
    collections: choice.collections,
    typed: choice.typed === '' ? undefined : [choice.typed],
    documents: choice.documents,
    below: choice.includeSubcollections ? undefined : 'no',
    users: choice.users === undefined ? undefined : choice.users ? 'yes' : 'no',
    target: choice.targetProjectId,
    mode: choice.mode === 'overwrite' ? undefined : choice.mode,
    safety: choice.safetyBackup ? undefined : 'no',
    limit: choice.maxWritesPerSecond === undefined ? undefined : String(choice.maxWritesPerSecond),
    partial: choice.allowPartial ? 'yes' : undefined,
    changed: choice.changedFrom,
    mask: choice.rules.length > 0 ? JSON.stringify(choice.rules) : choice.areRulesLost ? lostRules : undefined,
    rules: choice.rulesFrom,
    unmatched: choice.allowUnmatched ? 'yes' : undefined,
    step: choice.step,
  });

/** A source and what the scope names; everything else has a default. */
export const missingStep = (choice: Choice): Step | undefined => {
  if (choice.backupId === undefined && (choice.projectId === undefined || choice.at === undefined)) return 'source';
  if (choice.scope === 'collections' && (choice.collections.length === 0 || choice.typed !== '')) return 'scope';
  if (choice.scope === 'documents' && choice.documents.length === 0) return 'scope';
  if (isMasked(choice) && choice.rules.some(isIncomplete)) return 'mask';
  // A masked copy is never repeated without its rules, unless a person says so.
  if (choice.targetProjectId !== undefined && choice.areRulesLost) return 'mask';
  return undefined;
};

const isMasked = ({ targetProjectId, rules }: Choice): boolean => targetProjectId !== undefined && rules.length > 0;

/** The request of the choices, without dryRun. */
export const bodyOf = (choice: Choice): NonNullable<InputOf<'POST /backups/restore'>['body']> => ({
  ...(choice.backupId === undefined
    ? { projectId: choice.projectId, pointInTime: choice.at, ...(choice.allowPartial && { allowPartial: true }) }
    : { backupId: choice.backupId }),
  ...(choice.targetProjectId !== undefined && { targetProjectId: choice.targetProjectId }),
  ...(choice.scope === 'collections' && { collections: [...choice.collections] }),
  ...(choice.scope === 'documents' && { documentIds: [...choice.documents] }),
  options: {
    mergeMode: choice.mode,
    includeSubcollections: choice.includeSubcollections,
    safetyBackup: choice.safetyBackup,
    ...(choice.users !== undefined && !isMasked(choice) && { includeAuthUsers: choice.users }),
    ...(isMasked(choice) && { transform: { rules: choice.rules, allowUnmatched: choice.allowUnmatched } }),
    ...(choice.maxWritesPerSecond !== undefined && { maxWritesPerSecond: choice.maxWritesPerSecond }),
  },
});

/** Whether it is the path of a document: an even number of names, none of them empty. */
export const isDocumentPath = (path: string): boolean => {
  const names = path.split('/');
  return names.length % 2 === 0 && names.every((name) => name !== '');
};
