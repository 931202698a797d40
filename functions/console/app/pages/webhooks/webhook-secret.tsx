import { SecretDialog } from '../../parts/secret-dialog.tsx';

interface WebhookSecretProps {
  readonly title: string;
  readonly secret: string;
  readonly onClose: () => void;
}

export const WebhookSecret = ({ title, secret, onClose }: WebhookSecretProps) => (
  <SecretDialog title={title} what="secret" label="Signing secret" secret={secret} onClose={onClose}>
    Your endpoint verifies the signature of each request with it; the API docs have code for that.
  </SecretDialog>
);
