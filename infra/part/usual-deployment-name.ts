/** Apart from what needs the CDK, because the command line knows it, too. */
export const usualDeploymentName = 'backup-management-service';
