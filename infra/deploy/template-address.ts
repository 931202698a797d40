/** The address of a template that was uploaded, as CloudFormation takes it. */
export const templateAddress = ({
  bucket,
  region,
  key,
}: {
  readonly bucket: string;
  readonly region: string;
  readonly key: string;
}) => `https://${bucket}.s3.${region}.${region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'}/${key}`;

interface Launch {
  readonly region: string;
  readonly templateUrl: string;
  readonly stackName: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Opens the console of CloudFormation with the template and these parameters filled in. */
export const launchLink = ({ region, templateUrl, stackName, parameters }: Launch): string => {
  const given = Object.entries(parameters).map(([name, value]): [string, string] => [`param_${name}`, value]);
  const query = new URLSearchParams([['templateURL', templateUrl], ['stackName', stackName], ...given]);
  return `https://${region}.console.aws.amazon.com/cloudformation/home?region=${region}#/stacks/create/review?${query}`;
};
