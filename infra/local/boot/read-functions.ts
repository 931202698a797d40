/** Reads the Lambda functions from the template and assigns each an access key. */
import { createHash } from 'node:crypto';
import type { ResolvedResource } from '../cloudformation/read-template.ts';
import { readMappings } from '../event-source/mapping.ts';
import type { Roles, Trust } from '../iam/roles.ts';
import type { FunctionSpec } from '../lambda/function-spec.ts';

/** Lambda's default. */
const timeoutSecondsByDefault = 3;
const memoryMbByDefault = 128;

export const readFunctions = (resources: readonly ResolvedResource[], roles: Roles, trusts: Trust): readonly FunctionSpec[] => {
  const mappings = readMappings(resources);
  const aliases = resources.filter(({ type }) => type === 'AWS::Lambda::Alias');
  return resources
    .filter(({ type }) => type === 'AWS::Lambda::Function')
    .map(({ name, arn, properties, metadata }) => {
      const { entry } = metadata;
      if (typeof entry !== 'string') throw new Error(`${name} has no entry file in its metadata`);
      const roleArn = String(properties.Role);
      const statements = roles(roleArn);
      if (!statements) throw new Error(`${name} has a role that the template does not define`);
      if (!trusts(roleArn, { service: 'lambda.amazonaws.com', sourceArn: arn }))
        throw new Error(`${name} has a role that cannot be assumed by Lambda`);
      const reserved = properties.ReservedConcurrentExecutions;
      return {
        name,
        arn,
        aliasArns: aliases.filter((alias) => alias.name === name).map((alias) => alias.arn),
        entry,
        handler: String(properties.Handler).replace(/^index\./, ''),
        environment: ((properties.Environment as { Variables?: Record<string, string> } | undefined)?.Variables ?? {}) as Record<
          string,
          string
        >,
        timeoutSeconds: Number(properties.Timeout ?? timeoutSecondsByDefault),
        memoryMb: Number(properties.MemorySize ?? memoryMbByDefault),
        concurrency: reserved === undefined ? undefined : Number(reserved),
        fedAtOnce: mappings.find(({ functionName }) => functionName === name || functionName === arn)?.concurrencyMax,
        logGroup: String((properties.LoggingConfig as { LogGroup?: string } | undefined)?.LogGroup ?? `/aws/lambda/${name}`),
        isTraced: (properties.TracingConfig as { Mode?: string } | undefined)?.Mode === 'Active',
        roleArn,
        statements,
        accessKeyId: accessKeyOf(arn),
      };
    });
};

/** Stable across restarts, so that requests signed before a restart stay valid. */
const accessKeyOf = (arn: string): string => `LOCAL${createHash('sha256').update(arn).digest('hex').slice(0, 15).toUpperCase()}`;
