/** Reads the statements of each role from its inline policies and the policies attached to it. */

import type { Actor, RoleAssumption, Statement } from '../base/types.ts';
import type { ResolvedResource } from '../cloudformation/read-template.ts';
import { conditionsHold } from './conditions.ts';

export type Roles = (roleArn: string) => readonly Statement[] | undefined;

export const readRoles = (resources: readonly ResolvedResource[]): Roles => {
  const roles = new Map<string, Statement[]>();
  const arnByName = new Map<string, string>();
  for (const { type, name, arn, properties } of resources) {
    if (type !== 'AWS::IAM::Role') continue;
    const inline = (properties.Policies ?? []) as readonly { readonly PolicyDocument: unknown }[];
    roles.set(
      arn,
      inline.flatMap(({ PolicyDocument }) => readStatements(PolicyDocument)),
    );
    arnByName.set(name, arn);
  }
  for (const { type, properties } of resources) {
    if (type !== 'AWS::IAM::Policy' && type !== 'AWS::IAM::ManagedPolicy') continue;
    for (const roleName of (properties.Roles ?? []) as readonly string[]) {
      roles.get(arnByName.get(roleName) ?? '')?.push(...readStatements(properties.PolicyDocument));
    }
  }
  return (roleArn) => roles.get(roleArn);
};

/** Whether the trust policy of a role allows a service to assume it for a resource. */
export type Trust = (roleArn: string, actor: Actor) => boolean;

export const readTrust = (resources: readonly ResolvedResource[]): Trust => {
  const documents = new Map(
    resources
      .filter(({ type }) => type === 'AWS::IAM::Role')
      .map(({ arn, properties }) => [arn, properties.AssumeRolePolicyDocument as { readonly Statement: TrustStatement[] }]),
  );
  return (roleArn, { service, sourceArn }) => {
    const keys = { 'aws:SourceArn': [sourceArn], 'aws:SourceAccount': [sourceArn.split(':')[4] ?? ''] };
    return (documents.get(roleArn)?.Statement ?? []).some(
      ({ Effect, Action, Principal, Condition }) =>
        Effect === 'Allow' &&
        many(Action).includes('sts:AssumeRole') &&
        many(Principal.Service ?? []).includes(service) &&
        conditionsHold(Condition ?? {}, keys),
    );
  };
};

/** Whether the trust policy of a role of the template allows another role to assume it. */
export const readAssumable = (resources: readonly ResolvedResource[]): ((assumption: RoleAssumption) => boolean | undefined) => {
  const roles = new Map(resources.filter(({ type }) => type === 'AWS::IAM::Role').map((role) => [role.arn, role]));
  return ({ roleArn, callerArn = '', sessionName }) => {
    const role = roles.get(roleArn);
    if (!role) return undefined;
    const tags = (roles.get(callerArn)?.properties.Tags ?? []) as readonly { readonly Key: string; readonly Value: string }[];
    const keysFor = (condition: Statement['Condition'] = {}) => {
      const wanted = Object.values(condition).flatMap((tests) => Object.keys(tests));
      const tagValues = (key: string) => tags.filter(({ Key }) => key === `aws:PrincipalTag/${Key}`).map(({ Value }) => Value);
      const tagKeys = wanted.filter((key) => key.startsWith('aws:PrincipalTag/'));
      return { 'sts:RoleSessionName': [sessionName], ...Object.fromEntries(tagKeys.map((key) => [key, tagValues(key)])) };
    };
    const { Statement } = role.properties.AssumeRolePolicyDocument as { readonly Statement: TrustStatement[] };
    const callers = [callerArn, callerArn.replace(/:role\/.*$/, ':root')];
    return Statement.some(
      ({ Effect, Action, Principal, Condition }) =>
        Effect === 'Allow' &&
        many(Action).includes('sts:AssumeRole') &&
        many(Principal.AWS ?? []).some((trusted) => callers.includes(trusted)) &&
        conditionsHold(Condition ?? {}, keysFor(Condition)),
    );
  };
};

interface TrustStatement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: OneOrMore;
  readonly Principal: { readonly Service?: OneOrMore; readonly AWS?: OneOrMore };
  readonly Condition?: Statement['Condition'];
}

type OneOrMore = string | readonly string[];

interface RawStatement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action?: OneOrMore;
  readonly Resource?: OneOrMore;
  readonly Condition?: Statement['Condition'];
}

const readStatements = (document: unknown): readonly Statement[] => {
  const { Statement: raw } = document as { readonly Statement: RawStatement | readonly RawStatement[] };
  return many(raw).map((statement) => {
    const { Effect, Action, Resource, Condition } = statement as RawStatement;
    // NotAction and NotResource are unsupported; ignoring them would grant too much.
    if (!Action || !Resource) throw new Error(`a policy statement without Action or Resource: ${JSON.stringify(statement)}`);
    return { Effect, Action: many(Action), Resource: many(Resource), ...(Condition && { Condition }) };
  });
};

const many = <T>(value: T | readonly T[]): readonly T[] => (Array.isArray(value) ? value : [value as T]);

/** Who may do what, and who may assume which role. */
export interface Iam {
  readonly roles: Roles;
  readonly trusts: Trust;
  readonly isAssumable: (assumption: RoleAssumption) => boolean | undefined;
}

/** Of a stage that has no template yet. */
export const noIam: Iam = { roles: () => undefined, trusts: () => false, isAssumable: () => undefined };

export const readIam = (resources: readonly ResolvedResource[]): Iam => ({
  roles: readRoles(resources),
  trusts: readTrust(resources),
  isAssumable: readAssumable(resources),
});
