/** Lists every permission the template grants to a role, one per line. */

import { account, region } from '../base/types.ts';
import { localConfig } from '../boot/local-config.ts';
import { synthesize } from '../boot/synthesize.ts';
import { type ResolvedResource, readResources } from '../cloudformation/read-template.ts';
import { readRoles } from '../iam/roles.ts';
import { splitStatements } from '../iam/split-statements.ts';
import { namesOf } from './permission-names.ts';

/** The address does not affect permissions. */
const url = 'http://localhost:3000';
const addresses = { apiUrl: url, identityUrl: url, firestoreUrl: url, s3Url: url, gcsUrl: url };
const location = { region, account, apiUrl: url, awsUrl: url };

export const templateResources = async (): Promise<readonly ResolvedResource[]> => {
  const stacks = await synthesize(localConfig(addresses, []));
  const tables = readResources(stacks, { location, learned: {}, types: new Set(['AWS::DynamoDB::Table']) });
  // Only the engine knows a stream's ARN.
  const learned = Object.fromEntries(tables.map(({ logicalId, arn }) => [logicalId, { StreamArn: `${arn}/stream/label` }]));
  return readResources(stacks, { location, learned });
};

export const grantedLines = (resources: readonly ResolvedResource[]): readonly string[] => {
  const [name, roles] = [namesOf(resources), readRoles(resources)];
  const lines = resources
    .filter(({ type }) => type === 'AWS::IAM::Role')
    .flatMap(({ arn }) => splitStatements(roles(arn) ?? []).map((permission) => name(arn, permission)));
  return [...new Set(lines)].sort();
};
