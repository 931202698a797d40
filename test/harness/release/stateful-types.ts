/** Resources that hold data, messages, executions or an address. */
export const statefulTypes: readonly string[] = [
  'AWS::DynamoDB::Table',
  'AWS::KMS::Key',
  'AWS::SecretsManager::Secret',
  'AWS::SQS::Queue',
  'AWS::S3::Bucket',
  'AWS::Scheduler::ScheduleGroup',
  'AWS::Logs::LogGroup',
  'AWS::StepFunctions::StateMachine',
  'AWS::ApiGatewayV2::Api',
];
