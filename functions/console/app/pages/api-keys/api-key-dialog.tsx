import { SecretDialog } from '../../parts/secret-dialog.tsx';

interface ApiKeyDialogProps {
  readonly title: string;
  readonly apiKey: string;
  readonly onClose: () => void;
}

export const ApiKeyDialog = ({ title, apiKey, onClose }: ApiKeyDialogProps) => (
  <SecretDialog title={title} what="key" label="API key" secret={apiKey} onClose={onClose}>
    Send it as <code>Authorization: Bearer</code>, or give it to <code>bms</code> as <code>BMS_API_KEY</code>.
  </SecretDialog>
);
