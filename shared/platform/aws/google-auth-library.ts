/** Google's client for workloads on AWS. A bundle has it in a file of its own, which is read when the first such token is requested. */
export { AwsClient } from 'google-auth-library/build/src/auth/awsclient.js';
export { StsCredentials } from 'google-auth-library/build/src/auth/stscredentials.js';
