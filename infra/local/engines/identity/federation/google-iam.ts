/** Google's IAM, as far as workload identity federation needs it: pools, AWS providers and policy bindings, in the stage's state. */
import { createHash } from 'node:crypto';
import type { State } from '../../../base/stage-state.ts';
import { evaluateCel } from './cel.ts';

export interface AwsProvider {
  readonly accountId: string;
  readonly mapping: string;
  readonly condition: string;
}

export interface GoogleIam {
  createPool(projectId: string, poolId: string): void;
  deletePool(projectId: string, poolId: string): void;
  /** Creates a provider, or replaces it. Throws for an invalid mapping or condition. */
  setProvider(projectId: string, poolId: string, provider: AwsProvider & { readonly id: string }): void;
  deleteProvider(projectId: string, poolId: string, providerId: string): void;
  /** Undefined if the provider or its pool does not exist. */
  provider(audience: string): AwsProvider | undefined;
  addBinding(binding: Binding): void;
  removeBinding(binding: Binding): void;
  /** The roles that a member has on a project, a service account or a bucket. */
  rolesOf(resource: string, member: string): readonly string[];
}

interface Binding {
  /** `projects/ID`, `serviceAccounts/EMAIL` or `buckets/NAME`. */
  readonly resource: string;
  readonly member: string;
  readonly role: string;
}

const [poolKind, providerKind, bindingKind] = ['google-pool', 'google-provider', 'google-binding'];

export const openGoogleIam = (state: State): GoogleIam => {
  const poolOf = (projectId: string, poolId: string): string =>
    `projects/${projectNumberOf(projectId)}/locations/global/workloadIdentityPools/${poolId}`;
  const bindingId = ({ resource, member, role }: Binding): string => `${resource}|${member}|${role}`;
  return {
    createPool: (projectId, poolId) => {
      if (state.get(poolKind, poolOf(projectId, poolId))) throw new Error(`ALREADY_EXISTS: pool ${poolId} already exists`);
      state.set(poolKind, poolOf(projectId, poolId), true);
    },
    deletePool: (projectId, poolId) => state.delete(poolKind, poolOf(projectId, poolId)),
    setProvider: (projectId, poolId, { id, ...provider }) => {
      if (!state.get(poolKind, poolOf(projectId, poolId))) throw new Error(`NOT_FOUND: pool ${poolId} does not exist`);
      const example = { arn: 'arn:aws:sts::123456789012:assumed-role/role/session', account: '123456789012' };
      if (typeof evaluateCel(provider.condition, example) !== 'boolean')
        throw new Error('INVALID_ARGUMENT: the attribute condition is not a boolean expression');
      if (typeof evaluateCel(subjectOf(provider), example) !== 'string')
        throw new Error('INVALID_ARGUMENT: google.subject is not a text');
      state.set(providerKind, `${poolOf(projectId, poolId)}/providers/${id}`, provider);
    },
    deleteProvider: (projectId, poolId, providerId) =>
      state.delete(providerKind, `${poolOf(projectId, poolId)}/providers/${providerId}`),
    provider: (audience) => {
      const name = audience.replace(/^(https:)?\/\/iam\.googleapis\.com\//, '');
      const [pool = ''] = name.split('/providers/');
      return state.get(poolKind, pool) ? state.get<AwsProvider>(providerKind, name) : undefined;
    },
    addBinding: (binding) => state.set(bindingKind, bindingId(binding), binding),
    removeBinding: (binding) => {
      if (!state.get(bindingKind, bindingId(binding))) throw new Error('NOT_FOUND: policy binding not found');
      state.delete(bindingKind, bindingId(binding));
    },
    rolesOf: (resource, member) =>
      state
        .all<Binding>(bindingKind)
        .filter((binding) => binding.resource === resource && matchesMember(binding.member, member))
        .map(({ role }) => role),
  };
};

/** The expression of `google.subject` in a mapping `name=expression,…`. */
export const subjectOf = ({ mapping }: Pick<AwsProvider, 'mapping'>): string => {
  const [, expression] = /(?:^|,)google\.subject=([^,]+)/.exec(mapping) ?? [];
  if (expression === undefined) throw new Error('INVALID_ARGUMENT: the attribute mapping lacks google.subject');
  return expression;
};

/** A set of all principals of a pool contains each of them. */
const matchesMember = (granted: string, member: string): boolean =>
  granted === member ||
  (granted.startsWith('principalSet://') &&
    granted.endsWith('/*') &&
    member.startsWith(`${granted.replace('principalSet:', 'principal:').slice(0, -1)}subject/`));

/** Google numbers projects itself; here the id determines the number. */
export const projectNumberOf = (projectId: string): string =>
  String(
    100_000_000_000 + (Number.parseInt(createHash('sha256').update(projectId).digest('hex').slice(0, 12), 16) % 900_000_000_000),
  );
