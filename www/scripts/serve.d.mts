/** Types of serve.mjs, which runs without a build. */
export interface Mount {
  readonly at: string;
  readonly directory: string;
}
export declare const ISOLATION_HEADERS: Record<string, string>;
export declare const PLAYGROUND_MOUNTS: Mount[];
export declare function startServer(options: {
  mounts: Mount[];
  headers?: Record<string, string>;
  port?: number;
  host?: string;
}): Promise<{ url: string; close(): Promise<void> }>;
