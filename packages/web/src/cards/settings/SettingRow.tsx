import type { ReactNode } from 'react';

export interface SettingRowProps {
  label: string;
  hint?: string | undefined;
  children: ReactNode;
}

/** A setting: its name and a hint at the left, its control at the right; one above the other where it is narrow. */
export function SettingRow({ label, hint, children }: SettingRowProps) {
  return (
    <div className="setting">
      <div className="setting-name">
        <span>{label}</span>
        {hint ? <span className="settings-quiet">{hint}</span> : null}
      </div>
      {children}
    </div>
  );
}
