/**
 * STS: GetCallerIdentity, which needs no permission, and AssumeRole for customers' roles. The stage has no customer accounts,
 * so a role's name determines its trust policy:
 * - any role requires an ExternalId; the first one seen is required from then on
 * - a role beginning with `open` accepts any ExternalId or none, like a careless trust policy
 * - a role beginning with `denied` refuses everyone
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Answer, AwsError, type Json, type Service, text } from '../base/aws-service.ts';
import { openAppendLog } from './shared/append-log.ts';

export const openSts = ({ dir, account }: { dir: string; account: string }): Service => {
  const externalIds = openAppendLog<string>(join(dir, 'sts', 'external-ids.jsonl'));

  const assume = (input: Json): string => {
    const roleArn = text(input, 'RoleArn');
    const session = text(input, 'RoleSessionName');
    if (!opens(roleArn, typeof input.ExternalId === 'string' ? input.ExternalId : undefined, externalIds))
      throw new AwsError(
        'AccessDenied',
        `User: arn:aws:iam::${account}:root is not authorized to perform: sts:AssumeRole on resource: ${roleArn}`,
        403,
      );
    const seconds = Number(input.DurationSeconds ?? 3_600);
    const role = roleArn.replace(':iam:', ':sts:').replace(':role/', ':assumed-role/');
    return `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ASIA${randomBytes(8).toString('hex').toUpperCase()}</AccessKeyId><SecretAccessKey>${randomBytes(30).toString('base64')}</SecretAccessKey><SessionToken>${randomBytes(96).toString('base64')}</SessionToken><Expiration>${new Date(Date.now() + seconds * 1_000).toISOString()}</Expiration></Credentials><AssumedRoleUser><Arn>${escaped(`${role}/${session}`)}</Arn><AssumedRoleId>AROALOCAL:${escaped(session)}</AssumedRoleId></AssumedRoleUser></AssumeRoleResult></AssumeRoleResponse>`;
  };

  return {
    read: ({ body }) => {
      const { Action = '', ...input } = Object.fromEntries(new URLSearchParams(body.toString()));
      return { action: Action, input };
    },
    needs: ({ action, input }) =>
      action === 'GetCallerIdentity'
        ? []
        : action === 'AssumeRole'
          ? [{ action: 'sts:AssumeRole', resources: [text(input, 'RoleArn')], keys: externalIdOf(input) }]
          : undefined,
    answer: async ({ action, input }) => xml(200, action === 'AssumeRole' ? assume(input) : identity(account)),
    refuse: (error) =>
      xml(
        error.code.startsWith('AccessDenied') ? 403 : error.status,
        `<ErrorResponse><Error><Type>Sender</Type><Code>${error.code}</Code><Message>${escaped(error.message)}</Message></Error></ErrorResponse>`,
      ),
  };
};

const externalIdOf = ({ ExternalId }: Json): Readonly<Record<string, readonly string[]>> =>
  typeof ExternalId === 'string' ? { 'sts:ExternalId': [ExternalId] } : {};

const opens = (roleArn: string, externalId: string | undefined, seen: ReturnType<typeof openAppendLog<string>>): boolean => {
  const name = roleArn.slice(roleArn.lastIndexOf('/') + 1);
  if (name.startsWith('denied')) return false;
  if (name.startsWith('open')) return true;
  if (externalId === undefined) return false;
  const wanted = seen.get(roleArn);
  if (wanted === undefined) seen.set(roleArn, externalId);
  return wanted === undefined || wanted === externalId;
};

const identity = (account: string): string =>
  `<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::${account}:root</Arn><UserId>local</UserId><Account>${account}</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`;

const xml = (status: number, body: string): Answer => ({ status, headers: { 'content-type': 'text/xml' }, body });

const escaped = (value: string): string => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
