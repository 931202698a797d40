/** Every permission the template grants to a role, a line each. */

import { account, region } from '../base/types.ts';
import { localConfig } from '../boot/local-config.ts';
import { synthesize } from '../boot/synthesize.ts';
import { type ResolvedResource, readResources } from '../cloudformation/read-template.ts';
import { readRoles } from '../iam/roles.ts';
import { splitStatements } from '../iam/split-statements.ts';
import { namesOf } from './permission-names.ts';

/** Addresses are no part of a permission: any will do. */
const url = 'http://localhost:3000';
const addresses = { apiUrl: url, identityUrl: url, firestoreUrl: url, s3Url: url, gcsUrl: url };
const place = { region, account, apiUrl: url, awsUrl: url };

/** The resources as a stage has them, without a stage. */
export const templateResources = async (): Promise<readonly ResolvedResource[]> => {
  const stacks = await synthesize(localConfig(addresses, []));
  const tables = readResources(stacks, place, {}, new Set(['AWS::DynamoDB::Table']));
  // Only the engine knows how a stream is called.
  const learned = Object.fromEntries(tables.map(({ logicalId, arn }) => [logicalId, { StreamArn: `${arn}/stream/label` }]));
  return readResources(stacks, place, learned);
};

export const grantedLines = (resources: readonly ResolvedResource[]): readonly string[] => {
  const [name, roles] = [namesOf(resources), readRoles(resources)];
  const lines = resources
    .filter(({ type }) => type === 'AWS::IAM::Role')
    .flatMap(({ arn }) => splitStatements(roles(arn) ?? []).map((permission) => name(arn, permission)));
  return [...new Set(lines)].sort();
};
