import { formatJson } from '../../../../../../shared/client/index.ts';
import type { BackupEntry } from '../../../data/backup-contents.ts';
import { Button } from '../../../ui/form/button.tsx';
import { showToast } from '../../../ui/overlay/toast.tsx';
import { fileNameOf, saveFile } from '../../../ui/save-file.ts';

const fileName = (path: string): string => `${fileNameOf(path).slice(0, 120)}.json`;

/** Copies or downloads the document in the format of the Firestore REST API, which keeps every type. */
export const DownloadButton = ({ document }: { readonly document: BackupEntry }) => {
  const { path, name, fields, createTime, updateTime } = document;
  if (fields === undefined) return null;
  const json = (): string => formatJson({ name, fields, createTime, updateTime });
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(json());
    showToast('The document is copied as JSON');
  };
  return (
    <>
      <Button size="small" icon="copy" onClick={() => void copy()}>
        Copy JSON
      </Button>
      <Button size="small" icon="download" onClick={() => saveFile(fileName(path), json(), 'application/json')}>
        Download
      </Button>
    </>
  );
};
