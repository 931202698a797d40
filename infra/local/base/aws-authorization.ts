interface UnsignedCall {
  readonly accessKeyId: string;
  readonly region: string;
  readonly service: string;
}

/** Authorization header for a call to a local engine. Engines read the key, region and service and check no signature. */
export const awsAuthorization = ({ accessKeyId, region, service }: UnsignedCall): string =>
  `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20250101/${region}/${service}/aws4_request, SignedHeaders=host, Signature=0`;
