import type * as z from 'zod/mini';
import { RpcError } from '../base/types.ts';
import { type FaultRule, FaultRule as FaultRuleSchema, RuleState } from './fault-rule.ts';
import { Quota } from './quota.ts';

/** The active faults and the calls counted so far. */
export class Faults {
  readonly #rules = new Map<number, RuleState>();
  readonly #revoked = new Map<string, 'UNAUTHENTICATED' | 'PERMISSION_DENIED'>();
  readonly #quotas = new Map<string, Quota>();
  readonly #calls = new Map<string, number>();
  #lastId = 0;

  /** Whether calls need more than counting. */
  get isActive(): boolean {
    return this.#rules.size > 0 || this.#revoked.size > 0 || this.#quotas.size > 0;
  }

  /** Calls per method since the last reset. */
  get calls(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#calls);
  }

  count(method: string): void {
    this.#calls.set(method, (this.#calls.get(method) ?? 0) + 1);
  }

  resetCalls(): void {
    this.#calls.clear();
  }

  /** Adds a rule and returns its number for removal. */
  add(rule: z.input<typeof FaultRuleSchema>): number {
    this.#lastId += 1;
    this.#rules.set(this.#lastId, new RuleState(FaultRuleSchema.parse(rule)));
    return this.#lastId;
  }

  remove(id: number): boolean {
    return this.#rules.delete(id);
  }

  /** Removes all rules, revocations and quotas. */
  clear(): void {
    this.#rules.clear();
    this.#revoked.clear();
    this.#quotas.clear();
  }

  list(): readonly { readonly id: number; readonly rule: FaultRule; readonly matched: number; readonly done: boolean }[] {
    return [...this.#rules].map(([id, { rule, matched, isDone }]) => ({ id, rule, matched, done: isDone }));
  }

  /** Makes all calls of the project fail until `restore`. `*` means every project. */
  revoke(project: string, as: 'UNAUTHENTICATED' | 'PERMISSION_DENIED' = 'PERMISSION_DENIED'): void {
    this.#revoked.set(project, as);
  }

  restore(project: string): void {
    this.#revoked.delete(project);
  }

  /** Rejects writes of the project above this rate; `undefined` removes the limit. */
  limitWrites(project: string, perSecond: number | undefined): void {
    if (perSecond === undefined) this.#quotas.delete(project);
    else this.#quotas.set(project, new Quota(perSecond));
  }

  quotaOf(project: string): Quota | undefined {
    return this.#quotas.get(project) ?? this.#quotas.get('*');
  }

  /** Throws if the project's credentials are revoked. */
  checkCredentials(project: string): void {
    const revoked = this.#revoked.get(project) ?? this.#revoked.get('*');
    if (revoked === 'UNAUTHENTICATED') throw new RpcError('UNAUTHENTICATED', invalidCredentials);
    if (revoked) throw new RpcError(revoked, 'Missing or insufficient permissions.');
  }

  /** The first rule that applies to this call. All matching rules count it. */
  strike(method: string, request: Uint8Array): FaultRule | undefined {
    let struck: FaultRule | undefined;
    for (const state of this.#rules.values()) if (state.strikes(method, request)) struck ??= state.rule;
    return struck;
  }
}

/** The service's message for a missing or invalid token. */
export const invalidCredentials =
  'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. ' +
  'See https://developers.google.com/identity/sign-in/web/devconsole-project.';
