/** Plans of restores that this session has shown. A restore starts only from one of them, once, and while it is fresh. */
import { randomBytes } from 'node:crypto';
import type { InputOf } from '../../../shared/client/index.ts';
import { badInput } from '../base/cli-failure.ts';

export type RestoreBody = NonNullable<InputOf<'POST /backups/restore'>['body']>;

interface ShownPlan {
  readonly body: RestoreBody;
  readonly deleteDigest: string;
  readonly shownAtMs: number;
}

export const planMinutes = 15;
/** The oldest are forgotten. */
const plansMax = 100;

export class ShownPlans {
  readonly #plans = new Map<string, ShownPlan>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = Date.now) {
    this.#nowMs = nowMs;
  }

  /** Returns the id of the plan. */
  add(body: RestoreBody, deleteDigest: string): string {
    const planId = `plan_${randomBytes(16).toString('hex')}`;
    this.#plans.set(planId, { body, deleteDigest, shownAtMs: this.#nowMs() });
    const [oldest] = this.#plans.keys();
    if (this.#plans.size > plansMax && oldest !== undefined) this.#plans.delete(oldest);
    return planId;
  }

  /** The request that does exactly what the plan showed: the digest binds its deletions. A plan can be taken once. */
  take(planId: string): RestoreBody {
    const plan = this.#plans.get(planId);
    this.#plans.delete(planId);
    if (!plan) throw badInput('this plan was not shown in this session, or it was used already; call plan_restore first');
    if (this.#nowMs() - plan.shownAtMs > planMinutes * 60_000)
      throw badInput(`this plan is older than ${planMinutes} minutes; call plan_restore again`);
    return { ...plan.body, options: { ...plan.body.options, dryRun: false, deleteDigest: plan.deleteDigest } };
  }
}
