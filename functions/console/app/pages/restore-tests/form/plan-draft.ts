import type { RestoreTest, RestoreTestInput } from '../../../data/restore-test/restore-tests.ts';
import { type CronChoice, choiceOf, cronOf } from '../../../forms/cron/cron-choice.ts';

/** What the form holds. Never the secret of the check. */
export interface PlanDraft {
  readonly name: string;
  /** Empty for all projects. */
  readonly projectId: string;
  readonly choice: CronChoice;
  readonly timezone: string;
  readonly pick: 'latest' | 'random' | 'moment';
  readonly days: number;
  readonly scope: 'all' | 'sample';
  readonly documentsPerCollection: number;
  /** Empty for none. */
  readonly targetId: string;
  readonly checkUrl: string;
  readonly checkSeconds: number;
}

export const newPlanDraft = (timezone: string): PlanDraft => ({
  name: 'Weekly restore test',
  projectId: '',
  choice: { kind: 'weekly', time: '04:00', weekdays: [0] },
  timezone,
  pick: 'latest',
  days: 30,
  scope: 'all',
  documentsPerCollection: 100,
  targetId: '',
  checkUrl: '',
  checkSeconds: 300,
});

export const planDraftOf = (plan: RestoreTest): PlanDraft => ({
  name: plan.name,
  projectId: plan.projectId ?? '',
  choice: choiceOf(plan.cron),
  timezone: plan.timezone,
  pick: plan.backup.pick,
  days: plan.backup.days ?? 30,
  scope: plan.scope.type,
  documentsPerCollection: plan.scope.documentsPerCollection ?? 100,
  targetId: plan.target?.projectId ?? '',
  // Shown masked; only what is typed anew is sent.
  checkUrl: plan.check?.url ?? '',
  checkSeconds: plan.check?.timeoutSeconds ?? 300,
});

/** A check that was not changed is not sent, because its URL is masked. */
export const planInputOf = (draft: PlanDraft, saved: PlanDraft | undefined): RestoreTestInput => {
  const { name, choice, timezone, pick, days, scope, documentsPerCollection, targetId, checkUrl, checkSeconds } = draft;
  const isSameCheck = saved !== undefined && saved.checkUrl === checkUrl && saved.checkSeconds === checkSeconds;
  return {
    name: name.trim(),
    projectId: draft.projectId || null,
    cron: cronOf(choice),
    timezone,
    backup: pick === 'random' ? { pick, days } : { pick },
    scope: scope === 'sample' ? { type: scope, documentsPerCollection } : { type: scope },
    target: targetId === '' ? null : { projectId: targetId },
    ...(isSameCheck && targetId !== ''
      ? {}
      : { check: checkUrl === '' || targetId === '' ? null : { url: checkUrl, timeoutSeconds: checkSeconds } }),
  };
};
