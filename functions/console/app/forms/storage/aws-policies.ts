/** Who the trust policy of a role names. */
export interface Trusted {
  readonly organizationId: string;
  /** Undefined while it is loaded. */
  readonly awsAccountId: string | undefined;
}

/** IAM policies to paste, as in shared/backup/README.md. */
export const trustPolicy = ({ organizationId, awsAccountId }: Trusted): string =>
  json({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { AWS: `arn:aws:iam::${awsAccountId ?? '…'}:root` },
        Action: 'sts:AssumeRole',
        Condition: { StringEquals: { 'sts:ExternalId': organizationId } },
      },
    ],
  });

interface Scope {
  readonly bucket: string;
  readonly prefix: string;
  readonly immutable: boolean;
  readonly isLocked: boolean;
}

export const permissionPolicy = ({ bucket, prefix, immutable, isLocked }: Scope): string => {
  const folder = prefix.replace(/\/$/, '');
  return json({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Action: [
          's3:ListBucket',
          's3:ListBucketMultipartUploads',
          's3:GetLifecycleConfiguration',
          ...(isLocked ? ['s3:ListBucketVersions'] : []),
        ],
        Resource: `arn:aws:s3:::${bucket}`,
      },
      {
        Effect: 'Allow',
        Action: [
          's3:PutObject',
          's3:GetObject',
          ...(immutable ? [] : ['s3:DeleteObject']),
          's3:AbortMultipartUpload',
          ...(isLocked ? lockActions : []),
        ],
        Resource: `arn:aws:s3:::${bucket}/${folder ? `${folder}/` : ''}*`,
      },
    ],
  });
};

const lockActions = ['s3:PutObjectRetention', 's3:GetObjectRetention', 's3:GetObjectVersion'];

const json = (policy: object): string => JSON.stringify(policy, undefined, 2);
