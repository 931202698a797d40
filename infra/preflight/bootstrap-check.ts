import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { clientOptions, type DeploymentTarget } from './deployment-target.ts';
import { mustDo, ok, type Verdict } from './verdict.ts';

/** The version that the templates of the CDK require. */
const bootstrapMin = 6;

export const checkBootstrap = async ({ account, region, context }: DeploymentTarget): Promise<Verdict> => {
  const qualifier = String(context['@aws-cdk/core:bootstrapQualifier'] ?? 'hnb659fds');
  const bootstrap = `npx cdk bootstrap aws://${account}/${region}`;
  try {
    const name = `/cdk-bootstrap/${qualifier}/version`;
    const { Parameter } = await new SSMClient(clientOptions(region)).send(new GetParameterCommand({ Name: name }));
    const version = Number(Parameter?.Value);
    return version >= bootstrapMin
      ? ok(`version ${version}`)
      : mustDo(`version ${Parameter?.Value} is too old, ${bootstrapMin} is required: ${bootstrap}`);
  } catch (error) {
    if ((error as Error).name === 'ParameterNotFound') return mustDo(`the region is not bootstrapped: ${bootstrap}`);
    throw error;
  }
};
