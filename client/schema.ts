// Generated from docs/openapi.json by scripts/generate-client.mjs: change the routes, then npm run generate.

export interface paths {
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process is there; needs no token */
        get: operations["showHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether what the process needs answers; needs no token */
        get: operations["showReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Runs by status and hosts by lease, as Prometheus reads them */
        get: operations["readMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether this deployment runs loops */
        get: operations["showServer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Compile a definition; creates nothing */
        post: operations["compilePlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List runs, newest first */
        get: operations["listRuns"];
        put?: never;
        /** Start a run */
        post: operations["startRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a run; with `wait`, once it has ended or the time is over */
        get: operations["showRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The record of a run: a page, or with `Accept: text/event-stream` a stream that ends with the run */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/output": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The output of an attempt, also while it runs: text with byte ranges, or a stream that follows it */
        get: operations["readOutput"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the run changed: its base against its last snapshot, or against the last one of a pass */
        get: operations["readDiff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel a run; it has ended when nothing of it is alive any more */
        post: operations["cancelRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pause a run: what is under way ends and is judged, nothing new begins */
        post: operations["pauseRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let a paused run go on; refused while what paused it holds */
        post: operations["resumeRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Retry a run that ended or is paused, or steps of it; what is finished is kept */
        post: operations["retryRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/raise": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Raise limits of a run; one that is paused for such a limit goes on */
        post: operations["raiseRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/push-back": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a finished step of a running run back, with a remark; it and all after it are done again */
        post: operations["pushBackRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/definition": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The definition that the plan of a run comes from, with the edits that were made */
        get: operations["showRunDefinition"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/edit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Edit the definition of a run: it counts from the next pass of each step; every issue is told at once */
        post: operations["editRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/fork": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start a new run that goes on after a pass of this one, from its snapshot */
        post: operations["forkRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List questions to people, those of the oldest run first */
        get: operations["listTasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{taskId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a task: what is asked and shown, who may decide, the answers so far */
        get: operations["showTask"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{taskId}/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Approve, reject or push back */
        post: operations["decideTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/cleanup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Remove the worktree of a run that has ended; its events and artifacts stay */
        post: operations["cleanupRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/artifacts/{sha256}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The content of an artifact, with byte ranges */
        get: operations["readArtifact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/definitions/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a stored definition: the newest version, or the one that is named */
        get: operations["showDefinition"];
        /** Store a definition; one that cannot be run is refused with every issue */
        put: operations["putDefinition"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/definitions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List stored definitions by name, each in its newest version */
        get: operations["listDefinitions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/definitions/{name}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the versions of a stored definition, newest first */
        get: operations["listDefinitionVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List stored secrets, by name: names and dates only */
        get: operations["listSecrets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/secrets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Store a secret; its value is never shown again */
        put: operations["putSecret"];
        post?: never;
        /** Remove a stored secret */
        delete: operations["removeSecret"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who the token belongs to */
        get: operations["showMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/people": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List people, by name */
        get: operations["listPeople"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/people/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Add a person, or change one (admins) */
        put: operations["putPerson"];
        post?: never;
        /** Remove a person (admins); the token ends at once */
        delete: operations["removePerson"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List labels that were ever switched; every other label is on */
        get: operations["listSources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sources/{label}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Switch a label off or on: while it is off, its runs begin no new pass */
        put: operations["putSource"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description of the API */
        get: operations["describeApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        ArtifactRef: {
            sha256: string;
            bytes: number;
            excerpt: string;
        };
        AttemptResult: {
            end: {
                /** @enum {string} */
                kind: "ok";
            } | {
                /** @enum {string} */
                kind: "failed";
                reason: string;
            } | {
                /** @enum {string} */
                kind: "timed_out";
                afterSeconds: number;
            } | {
                /** @enum {string} */
                kind: "cancelled";
            } | {
                /** @enum {string} */
                kind: "crashed";
                reason: string;
            } | {
                /** @enum {string} */
                kind: "overload";
                reason: string;
                retryAfterSeconds?: number | undefined;
            } | {
                /** @enum {string} */
                kind: "quota";
                reason: string;
                resetAtMs?: number | undefined;
            } | {
                /** @enum {string} */
                kind: "refused";
                reason: string;
                remedy: string;
            };
            exitCode?: number | undefined;
            output: components["schemas"]["ArtifactRef"];
            log?: components["schemas"]["ArtifactRef"] | undefined;
            feedback?: components["schemas"]["ArtifactRef"] | undefined;
            match?: {
                /** @enum {string} */
                kind: "pass" | "fail" | "error";
                reason: string;
            } | undefined;
            goesOn?: {
                /** @enum {string} */
                kind: "pass" | "fail" | "error";
                reason: string;
            } | undefined;
            echoed?: components["schemas"]["ArtifactRef"] | undefined;
            reports?: {
                [key: string]: components["schemas"]["ArtifactRef"];
            } | undefined;
            outputs?: {
                [key: string]: components["schemas"]["ArtifactRef"];
            } | undefined;
            artifacts?: components["schemas"]["ArtifactRef"] | undefined;
            snapshot?: {
                commit: string;
                tree: string;
                head: string;
            } | undefined;
            fingerprint: string;
            spend: {
                usd?: number | undefined;
                estimated: boolean;
                inputTokens: number;
                outputTokens: number;
            };
            session?: string | undefined;
            agent?: string | undefined;
            findings: string[];
            durationMs: number;
        };
        CheckPlan: {
            name: string;
            /** @enum {string} */
            needs: "always" | "passed";
            timeSeconds: number;
            /** @enum {string} */
            kind: "command";
            command: string;
            expectExit: number;
            /** @enum {string} */
            where: "workspace" | "commit";
            provide?: string[] | undefined;
            evidence?: {
                tests: number;
                file?: string | undefined;
            } | undefined;
        } | {
            name: string;
            /** @enum {string} */
            needs: "always" | "passed";
            timeSeconds: number;
            /** @enum {string} */
            kind: "match";
            of: string;
            pass?: string | undefined;
            fail?: string | undefined;
        } | {
            name: string;
            /** @enum {string} */
            needs: "always" | "passed";
            timeSeconds: number;
            /** @enum {string} */
            kind: "schema";
            of: string;
            schema: {
                inline: {
                    [key: string]: unknown;
                };
            } | {
                file: string;
            };
        } | {
            name: string;
            /** @enum {string} */
            needs: "always" | "passed";
            timeSeconds: number;
            /** @enum {string} */
            kind: "review";
            agent: {
                name: string;
                model?: string | undefined;
                effort?: string | undefined;
                args?: string[] | undefined;
                /** @enum {string} */
                session: "fresh" | "resume";
                fallback: string[];
                custom?: {
                    command: string[];
                    /** @enum {string} */
                    prompt: "stdin" | "argument" | "file";
                    /** @enum {string} */
                    output: "text" | "json";
                } | undefined;
                quietSeconds?: number | undefined;
                scripted?: {
                    passes: string[];
                } | undefined;
            };
            criterion: string;
            consecutive: number;
        } | {
            name: string;
            /** @enum {string} */
            needs: "always" | "passed";
            timeSeconds: number;
            /** @enum {string} */
            kind: "report";
            file: string;
            wants: {
                /** @enum {string} */
                kind: "artifact";
                path: string;
            } | {
                /** @enum {string} */
                kind: "worklist";
            };
        };
        Cleanup: {
            snapshots?: boolean | undefined;
            dryRun?: boolean | undefined;
        };
        CleanupShown: {
            runId: string;
            /** @enum {string} */
            status: "cleaned" | "dry_run" | "pending";
            removed?: {
                worktree: string | null;
                readers: number;
                snapshots: number;
                keptRefs: number;
                artifacts?: {
                    path: string;
                    files: number;
                    list: string | null;
                } | undefined;
            } | undefined;
            why?: string | undefined;
        };
        Decide: {
            /** @enum {string} */
            decision: "approve" | "reject" | "push_back" | "complete";
            message?: string | undefined;
            to?: string | undefined;
            form?: {
                [key: string]: unknown;
            } | undefined;
            decisionId?: string | undefined;
            revision?: number | undefined;
        };
        DecisionShown: {
            /** @enum {string} */
            decision: "approve" | "reject" | "push_back";
            by: string;
            at: string;
            comment: string;
            text: {
                content: components["schemas"]["ArtifactRef"];
                url: string;
            };
            form?: {
                [key: string]: unknown;
            } | undefined;
            to?: string | undefined;
            final: boolean;
        };
        DefinitionList: {
            definitions: components["schemas"]["DefinitionListed"][];
            cursor?: string | undefined;
        };
        DefinitionListed: {
            project: string;
            name: string;
            version: number;
            dialect: string;
            createdBy: string;
            createdAt: string;
        };
        DefinitionShown: {
            project: string;
            name: string;
            version: number;
            dialect: string;
            createdBy: string;
            createdAt: string;
            source: string;
        };
        DefinitionVersions: {
            versions: components["schemas"]["DefinitionListed"][];
            cursor?: string | undefined;
        };
        DeliveryPlan: {
            /** @enum {string} */
            mode: "none" | "commit" | "branch" | "pr" | "merge";
            branch?: string | undefined;
            title?: string | undefined;
            body?: string | undefined;
        };
        EditRun: {
            source?: string | undefined;
            definition?: {
                [key: string]: unknown;
            } | undefined;
            file?: string | undefined;
            dialect?: string | undefined;
            messageId?: string | undefined;
        };
        EventPage: {
            events: components["schemas"]["StoredEvent"][];
            ended: boolean;
        };
        Evidence: {
            summary: string;
            exitCode?: number | undefined;
            log?: components["schemas"]["ArtifactRef"] | undefined;
            feedback?: components["schemas"]["ArtifactRef"] | undefined;
            tests?: {
                ran: number;
                failed: number;
                skipped: number;
            } | undefined;
            failing?: string[] | undefined;
            inherited?: boolean | undefined;
            commit?: string | undefined;
            tree?: string | undefined;
            digest?: string | undefined;
            durationMs: number;
        };
        Finding: {
            rule: string;
            /** @enum {string} */
            severity: "warning" | "note";
            path: string;
            loop?: string | undefined;
            /** @enum {string} */
            missing?: ("signal" | "route" | "limit") | undefined;
            message: string;
            why: string;
            remedy: string;
            fix?: ({
                /** @enum {string} */
                kind: "replace";
                path: string;
                find: string;
                replace: string;
            } | {
                /** @enum {string} */
                kind: "add";
                path: string;
                values: string[];
            } | {
                /** @enum {string} */
                kind: "expectExit";
                path: string;
                command: string;
                exit: number;
            }) | undefined;
            line?: number | undefined;
            column?: number | undefined;
        };
        ForkRun: {
            step: string;
            pass: number;
            name?: string | undefined;
            messageId?: string | undefined;
        };
        Issue: {
            path: string;
            code: string;
            message: string;
            /** @enum {string} */
            severity: "error" | "warning";
            line?: number | undefined;
            column?: number | undefined;
        };
        LimitsPlan: {
            timeSeconds?: number | undefined;
            deadlineSeconds?: number | undefined;
            spendUsd?: number | undefined;
            noProgress: number;
            feedbackChars?: number | undefined;
            /** @enum {string} */
            onTime: "fail" | "ask" | "pause" | "succeed";
            /** @enum {string} */
            onSpend: "fail" | "ask" | "pause" | "succeed";
        };
        LoopAnswers: {
            loop: string;
            path: string;
            signal: {
                question: string;
                answer: string;
                good: boolean;
            };
            route: {
                question: string;
                answer: string;
                good: boolean;
            };
            limit: {
                question: string;
                answer: string;
                good: boolean;
            };
            closed: boolean;
        };
        LoopPlan: {
            to: string;
            /** @enum {string} */
            on: "fail" | "pass" | "always";
            limit: number | null;
            wait: {
                everySeconds: number;
                backoff: number;
                maxSeconds?: number | undefined;
            };
            repeat?: {
                /** @enum {string} */
                mode: "while" | "until";
                condition?: {
                    command: string;
                    /** @enum {string} */
                    compare: "stdout" | "stderr" | "exitCode" | "auto";
                    returns: string;
                    timeSeconds: number;
                    /** @enum {string} */
                    by?: ("line" | "pattern") | undefined;
                    caseSensitive?: boolean | undefined;
                    negate?: boolean | undefined;
                } | undefined;
                exitCodes?: number[] | undefined;
                /** @enum {string} */
                onError: "pause" | "fail" | "unmet";
                /** @enum {string} */
                met?: ("continue" | "again" | "stop") | undefined;
                /** @enum {string} */
                unmet?: ("continue" | "again" | "stop") | undefined;
            } | undefined;
            /** @enum {string} */
            onExhausted: "fail" | "ask" | "pause" | "succeed";
            /** @enum {string} */
            onExhaustedMet?: ("fail" | "ask" | "pause" | "succeed") | undefined;
            limitJudges?: boolean | undefined;
            /** @enum {string} */
            inFlight: "cancel" | "keep";
            prompts?: {
                fail?: string | undefined;
                pass?: string | undefined;
            } | undefined;
        };
        Person: {
            name: string;
            teams: string[];
            admin: boolean;
            createdAt: string;
        };
        PersonList: {
            people: components["schemas"]["Person"][];
            cursor?: string | undefined;
        };
        PersonPut: {
            name: string;
            teams: string[];
            admin: boolean;
            createdAt: string;
            token?: string | undefined;
        };
        Plan: {
            /** @enum {number} */
            semantics: 1;
            name: string;
            project: string;
            labels: string[];
            inputs: {
                [key: string]: {
                    /** @enum {string} */
                    type: "string" | "number" | "boolean";
                    required: boolean;
                    default?: string | undefined;
                };
            };
            steps: components["schemas"]["StepPlan"][];
            limits: components["schemas"]["LimitsPlan"];
            workspace: components["schemas"]["WorkspacePlan"];
            /** @enum {string} */
            baseline: "report" | "newFailuresOnly" | "mustPass" | "off";
            deliver: components["schemas"]["DeliveryPlan"];
            outputs?: {
                [key: string]: string;
            } | undefined;
            keepBetweenRuns?: string[] | undefined;
            callback?: {
                url: string;
                secret?: string | undefined;
            } | undefined;
            handlers?: {
                success?: components["schemas"]["StepPlan"] | undefined;
                failure?: components["schemas"]["StepPlan"] | undefined;
                cancel?: components["schemas"]["StepPlan"] | undefined;
                exit?: components["schemas"]["StepPlan"] | undefined;
            } | undefined;
            artifacts?: boolean | undefined;
            on?: {
                schedule?: {
                    cron: string[];
                    zone?: string | undefined;
                    /** @enum {string} */
                    overlap?: ("skip" | "queue" | "allow") | undefined;
                } | undefined;
            } | undefined;
            children?: {
                [key: string]: components["schemas"]["Plan"];
            } | undefined;
        };
        PlanShown: {
            plan: components["schemas"]["Plan"];
            warnings: components["schemas"]["Issue"][];
            findings: components["schemas"]["Finding"][];
            loops: components["schemas"]["LoopAnswers"][];
        };
        Principal: {
            name: string;
            teams: string[] | "all";
            admin: boolean;
        };
        Problem: {
            type: string;
            title: string;
            status: number;
            code: string;
            detail: string;
            remedy?: string | undefined;
            issues?: components["schemas"]["Issue"][] | undefined;
        };
        PushBackRun: {
            step: string;
            message: string;
            messageId?: string | undefined;
        };
        PutDefinition: {
            source?: string | undefined;
            definition?: {
                [key: string]: unknown;
            } | undefined;
            dialect?: string | undefined;
            project?: string | undefined;
        };
        PutPerson: {
            teams?: string[] | undefined;
            admin?: boolean | undefined;
            newToken?: boolean | undefined;
        };
        PutSecret: {
            value: string;
            project?: string | undefined;
        };
        PutSource: {
            on: boolean;
        };
        RaiseRun: {
            passes?: number | undefined;
            step?: string | undefined;
            timeSeconds?: number | undefined;
            time?: string | undefined;
            deadlineSeconds?: number | undefined;
            deadline?: string | undefined;
            spendUsd?: number | undefined;
            spend?: string | undefined;
            messageId?: string | undefined;
        };
        RetryRun: {
            from?: string | undefined;
            only?: string | undefined;
            messageId?: string | undefined;
        };
        RunDefinitionShown: {
            source: string;
            file?: string | undefined;
            dialect?: string | undefined;
        };
        RunEvent: {
            /** @enum {string} */
            type: "run.started";
            at: number;
            runId: string;
            parent?: {
                runId: string;
                step: string;
                pass: number;
                index: number;
                attempt?: number | undefined;
                queue?: string | undefined;
            } | undefined;
            held?: string[] | undefined;
        } | {
            /** @enum {string} */
            type: "run.forked";
            at: number;
            runId: string;
            from: {
                runId: string;
                step: string;
                pass: number;
            };
            name?: string | undefined;
            by?: string | undefined;
            held?: string[] | undefined;
        } | {
            /** @enum {string} */
            type: "run.reseated";
            at: number;
            seat: number;
        } | {
            /** @enum {string} */
            type: "run.retried";
            at: number;
            messageId: string;
            by?: string | undefined;
            reset?: string[] | undefined;
        } | {
            /** @enum {string} */
            type: "run.paused";
            at: number;
            code: string;
            reason: string;
            remedy: string;
            messageId?: string | undefined;
            by?: string | undefined;
            loop?: string | undefined;
            /** @enum {boolean} */
            ask?: true | undefined;
        } | {
            /** @enum {string} */
            type: "run.resumed";
            at: number;
            messageId: string;
            by?: string | undefined;
            reason?: string | undefined;
        } | {
            /** @enum {string} */
            type: "run.raised";
            at: number;
            messageId: string;
            by?: string | undefined;
            limits: {
                passes?: number | undefined;
                step?: string | undefined;
                timeSeconds?: number | undefined;
                deadlineSeconds?: number | undefined;
                spendUsd?: number | undefined;
            };
            remark?: {
                by: string;
                comment: string;
                text: components["schemas"]["ArtifactRef"];
            } | undefined;
        } | {
            /** @enum {string} */
            type: "run.edited";
            at: number;
            messageId: string;
            by?: string | undefined;
            revision: number;
            plan: components["schemas"]["Plan"];
        } | {
            /** @enum {string} */
            type: "run.held";
            at: number;
            messageId: string;
            source: string;
            switched?: number | undefined;
        } | {
            /** @enum {string} */
            type: "run.released";
            at: number;
            messageId: string;
            source: string;
            switched?: number | undefined;
        } | {
            /** @enum {string} */
            type: "run.cancelling";
            at: number;
            messageId: string;
            by?: string | undefined;
            reason: string;
        } | {
            /** @enum {string} */
            type: "run.ending";
            at: number;
            stop: components["schemas"]["Stop"];
        } | {
            /** @enum {string} */
            type: "handlers.started";
            at: number;
            stop: components["schemas"]["Stop"];
        } | {
            /** @enum {string} */
            type: "run.stopped";
            at: number;
            stop: components["schemas"]["Stop"];
            toParent?: {
                output?: components["schemas"]["ArtifactRef"] | undefined;
                outputs: {
                    [key: string]: components["schemas"]["ArtifactRef"];
                };
                spend: {
                    usd?: number | undefined;
                    estimated: boolean;
                    inputTokens: number;
                    outputTokens: number;
                };
                activeMs: number;
            } | undefined;
        } | {
            /** @enum {string} */
            type: "timer.fired";
            at: number;
        } | {
            /** @enum {string} */
            type: "workspace.opening";
            at: number;
        } | {
            /** @enum {string} */
            type: "workspace.opened";
            at: number;
            hostId: string;
            queue: string;
            path: string;
            base?: {
                commit: string;
                tree: string;
                head: string;
            } | undefined;
            artifacts?: string | undefined;
            notes: string[];
        } | {
            /** @enum {string} */
            type: "lane.admitted";
            at: number;
            number: number;
            path: string;
        } | {
            /** @enum {string} */
            type: "workspace.failed";
            at: number;
            fault: {
                code: string;
                message: string;
            };
        } | {
            /** @enum {string} */
            type: "baseline.started";
            at: number;
        } | {
            /** @enum {string} */
            type: "baseline.judged";
            at: number;
            verdicts: {
                step: string;
                check: string;
                verdict: components["schemas"]["Verdict"];
            }[];
        } | {
            /** @enum {string} */
            type: "baseline.failed";
            at: number;
            fault: {
                code: string;
                message: string;
            };
        } | {
            /** @enum {string} */
            type: "work.cancelling";
            at: number;
            step: string;
            pass: number;
        } | {
            /** @enum {string} */
            type: "work.cancelled";
            at: number;
            step: string;
            pass: number;
            spend?: {
                usd?: number | undefined;
                estimated: boolean;
                inputTokens: number;
                outputTokens: number;
            } | undefined;
        } | {
            /** @enum {string} */
            type: "condition.started";
            at: number;
            step: string;
            pass: number;
            /** @enum {string} */
            purpose: "when" | "repeat";
        } | {
            /** @enum {string} */
            type: "condition.judged";
            at: number;
            step: string;
            pass: number;
            /** @enum {string} */
            purpose: "when" | "repeat";
            outcome: {
                /** @enum {string} */
                kind: "met";
                actual: string;
                found?: {
                    stdout: components["schemas"]["ArtifactRef"];
                    stderr: components["schemas"]["ArtifactRef"];
                    exitCode?: number | undefined;
                    actual: string;
                    expected: string;
                    /** @enum {string} */
                    compareSource: "stdout" | "stderr" | "exitCode" | "auto";
                } | undefined;
            } | {
                /** @enum {string} */
                kind: "unmet";
                actual: string;
                found?: {
                    stdout: components["schemas"]["ArtifactRef"];
                    stderr: components["schemas"]["ArtifactRef"];
                    exitCode?: number | undefined;
                    actual: string;
                    expected: string;
                    /** @enum {string} */
                    compareSource: "stdout" | "stderr" | "exitCode" | "auto";
                } | undefined;
            } | {
                /** @enum {string} */
                kind: "error";
                reason: string;
                found?: {
                    stdout: components["schemas"]["ArtifactRef"];
                    stderr: components["schemas"]["ArtifactRef"];
                    exitCode?: number | undefined;
                    actual: string;
                    expected: string;
                    /** @enum {string} */
                    compareSource: "stdout" | "stderr" | "exitCode" | "auto";
                } | undefined;
            };
        } | {
            /** @enum {string} */
            type: "attempt.started";
            at: number;
            step: string;
            pass: number;
            attempt: number;
        } | {
            /** @enum {string} */
            type: "attempt.finished";
            at: number;
            step: string;
            pass: number;
            attempt: number;
            result: components["schemas"]["AttemptResult"];
        } | {
            /** @enum {string} */
            type: "attempt.interrupted";
            at: number;
            step: string;
            pass: number;
            attempt: number;
            fault: {
                code: string;
                message: string;
            };
        } | {
            /** @enum {string} */
            type: "recovery.started";
            at: number;
            step: string;
            pass: number;
            attempt: number;
        } | {
            /** @enum {string} */
            type: "attempt.lost";
            at: number;
            step: string;
            pass: number;
            attempt: number;
            spend: {
                usd?: number | undefined;
                estimated: boolean;
                inputTokens: number;
                outputTokens: number;
            };
        } | {
            /** @enum {string} */
            type: "attempt.resumable";
            at: number;
            step: string;
            pass: number;
            attempt: number;
        } | {
            /** @enum {string} */
            type: "checks.started";
            at: number;
            step: string;
            pass: number;
            round: number;
            check?: string | undefined;
        } | {
            /** @enum {string} */
            type: "check.judged";
            at: number;
            step: string;
            pass: number;
            check: string;
            verdict: components["schemas"]["Verdict"];
        } | {
            /** @enum {string} */
            type: "checks.finished";
            at: number;
            step: string;
            pass: number;
            fingerprint: string;
            tree?: string | undefined;
            spend?: {
                usd?: number | undefined;
                estimated: boolean;
                inputTokens: number;
                outputTokens: number;
            } | undefined;
        } | {
            /** @enum {string} */
            type: "checks.interrupted";
            at: number;
            step: string;
            pass: number;
            fault: {
                code: string;
                message: string;
            };
        } | {
            /** @enum {string} */
            type: "step.succeeded";
            at: number;
            step: string;
            pass: number;
            note?: string | undefined;
        } | {
            /** @enum {string} */
            type: "step.failed";
            at: number;
            step: string;
            pass: number;
            reason: string;
            continued: boolean;
            /** @enum {string} */
            stop: "succeeded" | "failed" | "rejected" | "exhausted" | "no_progress" | "timed_out" | "over_budget" | "provider_error" | "failed_to_start" | "delivery_failed" | "cancelled";
        } | {
            /** @enum {string} */
            type: "step.reopened";
            at: number;
            step: string;
            pass: number;
            reason: string;
        } | {
            /** @enum {string} */
            type: "step.skipped";
            at: number;
            step: string;
            pass: number;
            reason: string;
            by?: string | undefined;
        } | {
            /** @enum {string} */
            type: "loop.fired";
            at: number;
            step: string;
            pass: number;
            to: string;
            count: number;
            limit: number | null;
            reset: string[];
            fingerprint: string;
            repeats: number;
            notBefore?: number | undefined;
            message: string;
            prompt?: string | undefined;
            /** @enum {boolean} */
            pushBack?: true | undefined;
        } | {
            /** @enum {string} */
            type: "step.pushed_back";
            at: number;
            step: string;
            pass: number;
            messageId: string;
            by?: string | undefined;
            remark: {
                by: string;
                comment: string;
                text: components["schemas"]["ArtifactRef"];
            };
            reset: string[];
        } | {
            /** @enum {string} */
            type: "attempt.retried";
            at: number;
            step: string;
            pass: number;
            attempt: number;
            /** @enum {string} */
            kind: "retry" | "crash" | "quota" | "shutdown" | "wait";
            reason: string;
            notBefore?: number | undefined;
        } | {
            /** @enum {string} */
            type: "task.opening";
            at: number;
            step: string;
            pass: number;
            task: string;
            revision: number;
        } | {
            /** @enum {string} */
            type: "task.opened";
            at: number;
            step: string;
            pass: number;
            task: string;
            revision: number;
            ask: {
                text: string;
                whole?: components["schemas"]["ArtifactRef"] | undefined;
            };
            shown: {
                name: string;
                content: components["schemas"]["ArtifactRef"];
            }[];
            form?: {
                [key: string]: unknown;
            } | undefined;
            pushBackForm?: {
                [key: string]: unknown;
            } | undefined;
            who: string[];
            quorum: number;
            notAuthor: boolean;
            commit?: string | undefined;
            tree?: string | undefined;
            backTo: string[];
            expiresAt?: number | undefined;
        } | {
            /** @enum {string} */
            type: "task.failed";
            at: number;
            step: string;
            pass: number;
            task: string;
            revision: number;
            fault: {
                code: string;
                message: string;
            };
        } | {
            /** @enum {string} */
            type: "task.decided";
            at: number;
            step: string;
            pass: number;
            task: string;
            revision: number;
            messageId: string;
            decision: {
                /** @enum {string} */
                kind: "approve" | "reject" | "push_back";
                by: string;
                comment: string;
                text: components["schemas"]["ArtifactRef"];
                form?: {
                    [key: string]: unknown;
                } | undefined;
                to?: string | undefined;
                digest: string;
            };
            final: boolean;
        } | {
            /** @enum {string} */
            type: "task.reminded";
            at: number;
            step: string;
            pass: number;
            task: string;
            revision: number;
            count: number;
        } | {
            /** @enum {string} */
            type: "task.escalated";
            at: number;
            step: string;
            pass: number;
            task: string;
            revision: number;
            to: string[];
        } | {
            /** @enum {string} */
            type: "task.expired";
            at: number;
            step: string;
            pass: number;
            task: string;
            revision: number;
        } | {
            /** @enum {string} */
            type: "task.closed";
            at: number;
            step: string;
            pass: number;
            task: string;
            revision: number;
            reason: string;
        } | {
            /** @enum {string} */
            type: "list.expanding";
            at: number;
            step: string;
            pass: number;
        } | {
            /** @enum {string} */
            type: "call.begun";
            at: number;
            step: string;
            pass: number;
            attempt: number;
            items: string[];
        } | {
            /** @enum {string} */
            type: "child.starting";
            at: number;
            step: string;
            pass: number;
            index: number;
        } | {
            /** @enum {string} */
            type: "child.started";
            at: number;
            step: string;
            pass: number;
            index: number;
            runId: string;
        } | {
            /** @enum {string} */
            type: "call.failed";
            at: number;
            step: string;
            pass: number;
            fault: {
                code: string;
                message: string;
            };
        } | {
            /** @enum {string} */
            type: "child.settled";
            at: number;
            step: string;
            pass: number;
            index: number;
            messageId: string;
            runId: string;
            /** @enum {string} */
            stop: "succeeded" | "failed" | "rejected" | "exhausted" | "no_progress" | "timed_out" | "over_budget" | "provider_error" | "failed_to_start" | "delivery_failed" | "cancelled";
            toParent: {
                output?: components["schemas"]["ArtifactRef"] | undefined;
                outputs: {
                    [key: string]: components["schemas"]["ArtifactRef"];
                };
                spend: {
                    usd?: number | undefined;
                    estimated: boolean;
                    inputTokens: number;
                    outputTokens: number;
                };
                activeMs: number;
            };
        } | {
            /** @enum {string} */
            type: "child.cancelling";
            at: number;
            step: string;
            pass: number;
            runId: string;
        } | {
            /** @enum {string} */
            type: "child.told";
            at: number;
            step: string;
            pass: number;
            runId: string;
        } | {
            /** @enum {string} */
            type: "call.collecting";
            at: number;
            step: string;
            pass: number;
            attempt: number;
        } | {
            /** @enum {string} */
            type: "files.keeping";
            at: number;
        } | {
            /** @enum {string} */
            type: "files.kept";
            at: number;
            files: number;
        } | {
            /** @enum {string} */
            type: "files.failed";
            at: number;
            fault: {
                code: string;
                message: string;
            };
        } | {
            /** @enum {string} */
            type: "delivery.started";
            at: number;
        } | {
            /** @enum {string} */
            type: "delivery.finished";
            at: number;
            delivery: {
                /** @enum {string} */
                mode: "none" | "commit" | "branch" | "pr" | "merge";
                nothingToDeliver: boolean;
                commit?: string | undefined;
                branch?: string | undefined;
            };
        } | {
            /** @enum {string} */
            type: "delivery.failed";
            at: number;
            fault: {
                code: string;
                message: string;
            };
        };
        RunList: {
            runs: components["schemas"]["RunListed"][];
            cursor?: string | undefined;
        };
        RunListed: {
            runId: string;
            name: string;
            project: string;
            labels: string[];
            createdAt: string;
            updatedAt: string;
            createdBy?: string | undefined;
            parent?: {
                runId: string;
                step: string;
                pass: number;
                index: number;
                attempt?: number | undefined;
                queue?: string | undefined;
            } | undefined;
            forkedFrom?: {
                runId: string;
                step: string;
                pass: number;
            } | undefined;
            priority?: number | undefined;
            summary: components["schemas"]["RunSummary"];
        };
        RunShown: {
            runId: string;
            name: string;
            project: string;
            labels: string[];
            createdAt: string;
            updatedAt: string;
            createdBy?: string | undefined;
            parent?: {
                runId: string;
                step: string;
                pass: number;
                index: number;
                attempt?: number | undefined;
                queue?: string | undefined;
            } | undefined;
            forkedFrom?: {
                runId: string;
                step: string;
                pass: number;
            } | undefined;
            priority?: number | undefined;
            summary: components["schemas"]["RunSummary"];
            children?: components["schemas"]["RunListed"][] | undefined;
            plan: components["schemas"]["Plan"];
            inputs: {
                [key: string]: string;
            };
            state?: unknown | undefined;
            cursor: number;
            forks?: {
                runId: string;
                step: string;
                pass: number;
            }[] | undefined;
        };
        RunStarted: {
            runId: string;
            name: string;
            project: string;
            labels: string[];
            createdAt: string;
            updatedAt: string;
            createdBy?: string | undefined;
            parent?: {
                runId: string;
                step: string;
                pass: number;
                index: number;
                attempt?: number | undefined;
                queue?: string | undefined;
            } | undefined;
            forkedFrom?: {
                runId: string;
                step: string;
                pass: number;
            } | undefined;
            priority?: number | undefined;
            summary: components["schemas"]["RunSummary"];
            warnings: components["schemas"]["Issue"][];
        };
        RunSummary: {
            /** @enum {string} */
            status: "queued" | "running" | "waiting" | "paused" | "ended";
            why?: string | undefined;
            remedy?: string | undefined;
            task?: string | undefined;
            stop?: components["schemas"]["Stop"] | undefined;
            passes: number;
            spendUsd: number;
            commit?: string | undefined;
            branch?: string | undefined;
            /** @enum {string} */
            delivery?: ("none" | "commit" | "branch" | "pr" | "merge" | "nothing_to_deliver") | undefined;
            hostId?: string | undefined;
            seq: number;
        };
        SecretList: {
            secrets: components["schemas"]["SecretListed"][];
            cursor?: string | undefined;
        };
        SecretListed: {
            project: string;
            name: string;
            updatedAt: string;
        };
        Source: {
            label: string;
            on: boolean;
            changedBy: string;
            changedAt: string;
        };
        SourceList: {
            sources: components["schemas"]["Source"][];
            cursor?: string | undefined;
        };
        StartRun: {
            definition?: {
                [key: string]: unknown;
            } | undefined;
            source?: string | undefined;
            name?: string | undefined;
            version?: number | undefined;
            file?: string | undefined;
            dialect?: string | undefined;
            inputs?: {
                [key: string]: string | number | boolean;
            } | undefined;
            project?: string | undefined;
            labels?: string[] | undefined;
            priority?: number | undefined;
            callback?: {
                /** Format: uri */
                url: string;
                secret?: string | undefined;
            } | undefined;
            overrides?: {
                agent?: string | undefined;
                /** @enum {string} */
                deliver?: ("none" | "commit" | "branch" | "pr" | "merge") | undefined;
                worktree?: boolean | undefined;
                repo?: string | undefined;
            } | undefined;
        };
        Steer: {
            reason?: string | undefined;
            messageId?: string | undefined;
        };
        StepPlan: {
            id: string;
            name: string;
            after: string[];
            when?: {
                condition: {
                    command: string;
                    /** @enum {string} */
                    compare: "stdout" | "stderr" | "exitCode" | "auto";
                    returns: string;
                    timeSeconds: number;
                    /** @enum {string} */
                    by?: ("line" | "pattern") | undefined;
                    caseSensitive?: boolean | undefined;
                    negate?: boolean | undefined;
                };
                and?: {
                    command: string;
                    /** @enum {string} */
                    compare: "stdout" | "stderr" | "exitCode" | "auto";
                    returns: string;
                    timeSeconds: number;
                    /** @enum {string} */
                    by?: ("line" | "pattern") | undefined;
                    caseSensitive?: boolean | undefined;
                    negate?: boolean | undefined;
                }[] | undefined;
                /** @enum {string} */
                onUnmet: "skip" | "stop" | "cancel";
                /** @enum {string} */
                onError: "pause" | "fail";
                /** @enum {boolean} */
                once?: true | undefined;
            } | undefined;
            work: {
                /** @enum {string} */
                kind: "agent";
                agent: {
                    name: string;
                    model?: string | undefined;
                    effort?: string | undefined;
                    args?: string[] | undefined;
                    /** @enum {string} */
                    session: "fresh" | "resume";
                    fallback: string[];
                    custom?: {
                        command: string[];
                        /** @enum {string} */
                        prompt: "stdin" | "argument" | "file";
                        /** @enum {string} */
                        output: "text" | "json";
                    } | undefined;
                    quietSeconds?: number | undefined;
                    scripted?: {
                        passes: string[];
                    } | undefined;
                };
                prompt: string;
            } | {
                /** @enum {string} */
                kind: "run";
                command: string;
            } | {
                /** @enum {string} */
                kind: "person";
                ask: string;
                show: ({
                    /** @enum {string} */
                    kind: "output";
                    step: string;
                } | {
                    /** @enum {string} */
                    kind: "file";
                    path: string;
                } | {
                    /** @enum {string} */
                    kind: "artifact";
                    path: string;
                })[];
                form?: {
                    [key: string]: unknown;
                } | undefined;
                pushBackForm?: {
                    [key: string]: unknown;
                } | undefined;
                who: string[];
                quorum: number;
                notAuthor: boolean;
                remindSeconds?: number | undefined;
                escalate?: {
                    to: string[];
                    afterSeconds?: number | undefined;
                } | undefined;
                time?: {
                    limitSeconds: number;
                    /** @enum {string} */
                    onExpiry: "fail" | "skip" | "escalate";
                } | undefined;
                pushBackLimit: number | null;
            } | {
                /** @enum {string} */
                kind: "call";
                definition: string;
                inputs: {
                    [key: string]: string;
                };
                each?: {
                    list: string;
                    /** @enum {string} */
                    split?: ("lines" | "words") | undefined;
                    max: number;
                } | undefined;
            };
            readOnly: boolean;
            match?: {
                pass?: string | undefined;
                fail?: string | undefined;
            } | undefined;
            checks: components["schemas"]["CheckPlan"][];
            /** @enum {string} */
            mode: "all" | "any";
            retry: {
                on: ("infrastructure" | "notVerdict" | "failure") | number[];
                limit: number;
                everySeconds: number;
                backoff: number;
                maxSeconds?: number | undefined;
            };
            loop?: components["schemas"]["LoopPlan"] | undefined;
            timeSeconds: number;
            continueOnError: boolean;
            continueOn?: {
                exitCodes?: number[] | undefined;
                matches?: string[] | undefined;
                caseSensitive?: boolean | undefined;
                markSuccess?: boolean | undefined;
            } | undefined;
            skipsDependents?: boolean | undefined;
            env: {
                [key: string]: string;
            };
            secrets: string[];
            directory?: string | undefined;
            output?: {
                /** @enum {string} */
                of: "all" | "stdout";
                artifact?: string | undefined;
                errorsArtifact?: string | undefined;
            } | undefined;
            outputs?: {
                [key: string]: string;
            } | undefined;
        };
        Stop: {
            /** @enum {string} */
            kind: "succeeded" | "failed" | "rejected" | "exhausted" | "no_progress" | "timed_out" | "over_budget" | "provider_error" | "failed_to_start" | "delivery_failed" | "cancelled";
            code?: string | undefined;
            reason: string;
            remedy?: string | undefined;
        };
        StoredEvent: {
            seq: number;
            event: components["schemas"]["RunEvent"];
        };
        TaskDecided: {
            decisionId: string;
            task: components["schemas"]["TaskShown"];
            run: components["schemas"]["RunListed"];
        };
        TaskList: {
            tasks: components["schemas"]["TaskListed"][];
            cursor?: string | undefined;
        };
        TaskListed: {
            taskId: string;
            runId: string;
            runName: string;
            project: string;
            step: string;
            pass: number;
            revision: number;
            /** @enum {string} */
            state: "open" | "decided" | "closed";
            asked: string;
            who: string[];
            notAuthor: boolean;
            quorum: number;
            approvals: number;
            reminders: number;
            openedAt: string;
            updatedAt: string;
            expiresAt?: string | undefined;
        };
        TaskShown: {
            taskId: string;
            runId: string;
            runName: string;
            project: string;
            step: string;
            pass: number;
            revision: number;
            /** @enum {string} */
            state: "open" | "decided" | "closed";
            asked: string;
            who: string[];
            notAuthor: boolean;
            quorum: number;
            approvals: number;
            reminders: number;
            openedAt: string;
            updatedAt: string;
            expiresAt?: string | undefined;
            ask: {
                text: string;
                whole?: {
                    content: components["schemas"]["ArtifactRef"];
                    url: string;
                } | undefined;
            };
            shown: {
                content: components["schemas"]["ArtifactRef"];
                url: string;
                name: string;
            }[];
            form?: {
                [key: string]: unknown;
            } | undefined;
            pushBackForm?: {
                [key: string]: unknown;
            } | undefined;
            backTo: string[];
            commit?: string | undefined;
            decisions: components["schemas"]["DecisionShown"][];
            closed?: string | undefined;
            /** @enum {string} */
            mayDecide: "yes" | "author" | "not-asked";
        };
        Verdict: {
            /** @enum {string} */
            kind: "pass" | "fail" | "missing" | "error";
            evidence: components["schemas"]["Evidence"];
            findings: string[];
        };
        WorkspacePlan: {
            repo: string;
            base?: string | undefined;
            worktree: boolean;
            protect: string[];
            keep: string[];
            setup?: string | undefined;
            /** @enum {string} */
            lane: "run" | "pass";
            envFiles?: string[] | undefined;
            /** @enum {string} */
            afterwards?: ("keep" | "remove") | undefined;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type ArtifactRef = components['schemas']['ArtifactRef'];
export type AttemptResult = components['schemas']['AttemptResult'];
export type CheckPlan = components['schemas']['CheckPlan'];
export type Cleanup = components['schemas']['Cleanup'];
export type CleanupShown = components['schemas']['CleanupShown'];
export type Decide = components['schemas']['Decide'];
export type DecisionShown = components['schemas']['DecisionShown'];
export type DefinitionList = components['schemas']['DefinitionList'];
export type DefinitionListed = components['schemas']['DefinitionListed'];
export type DefinitionShown = components['schemas']['DefinitionShown'];
export type DefinitionVersions = components['schemas']['DefinitionVersions'];
export type DeliveryPlan = components['schemas']['DeliveryPlan'];
export type EditRun = components['schemas']['EditRun'];
export type EventPage = components['schemas']['EventPage'];
export type Evidence = components['schemas']['Evidence'];
export type Finding = components['schemas']['Finding'];
export type ForkRun = components['schemas']['ForkRun'];
export type Issue = components['schemas']['Issue'];
export type LimitsPlan = components['schemas']['LimitsPlan'];
export type LoopAnswers = components['schemas']['LoopAnswers'];
export type LoopPlan = components['schemas']['LoopPlan'];
export type Person = components['schemas']['Person'];
export type PersonList = components['schemas']['PersonList'];
export type PersonPut = components['schemas']['PersonPut'];
export type Plan = components['schemas']['Plan'];
export type PlanShown = components['schemas']['PlanShown'];
export type Principal = components['schemas']['Principal'];
export type Problem = components['schemas']['Problem'];
export type PushBackRun = components['schemas']['PushBackRun'];
export type PutDefinition = components['schemas']['PutDefinition'];
export type PutPerson = components['schemas']['PutPerson'];
export type PutSecret = components['schemas']['PutSecret'];
export type PutSource = components['schemas']['PutSource'];
export type RaiseRun = components['schemas']['RaiseRun'];
export type RetryRun = components['schemas']['RetryRun'];
export type RunDefinitionShown = components['schemas']['RunDefinitionShown'];
export type RunEvent = components['schemas']['RunEvent'];
export type RunList = components['schemas']['RunList'];
export type RunListed = components['schemas']['RunListed'];
export type RunShown = components['schemas']['RunShown'];
export type RunStarted = components['schemas']['RunStarted'];
export type RunSummary = components['schemas']['RunSummary'];
export type SecretList = components['schemas']['SecretList'];
export type SecretListed = components['schemas']['SecretListed'];
export type Source = components['schemas']['Source'];
export type SourceList = components['schemas']['SourceList'];
export type StartRun = components['schemas']['StartRun'];
export type Steer = components['schemas']['Steer'];
export type StepPlan = components['schemas']['StepPlan'];
export type Stop = components['schemas']['Stop'];
export type StoredEvent = components['schemas']['StoredEvent'];
export type TaskDecided = components['schemas']['TaskDecided'];
export type TaskList = components['schemas']['TaskList'];
export type TaskListed = components['schemas']['TaskListed'];
export type TaskShown = components['schemas']['TaskShown'];
export type Verdict = components['schemas']['Verdict'];
export type WorkspacePlan = components['schemas']['WorkspacePlan'];
export interface operations {
    showHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok";
                    };
                };
            };
        };
    };
    showReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of it does */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        database: boolean;
                        temporal: boolean;
                    };
                };
            };
        };
    };
    readMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The text format of Prometheus */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    showServer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description With `loops: off` calls that start or spend are refused (`server/loops-off`) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        loops: "on" | "off";
                    };
                };
            };
        };
    };
    compilePlan: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartRun"];
            };
        };
        responses: {
            /** @description The plan, the warnings and the doctor's findings */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanShown"];
                };
            };
        };
    };
    listRuns: {
        parameters: {
            query?: {
                /** @description A status, or how a run that has ended stopped */
                status?: ("queued" | "running" | "waiting" | "paused" | "ended" | "succeeded" | "failed" | "rejected" | "exhausted" | "no_progress" | "timed_out" | "over_budget" | "provider_error" | "failed_to_start" | "delivery_failed" | "cancelled") | undefined;
                project?: string | undefined;
                /** @description A label that the run carries */
                label?: string | undefined;
                /** @description A run: its child runs */
                parent?: string | undefined;
                /** @description A part of the name, or the beginning of the id */
                q?: string | undefined;
                /** @description `cursor` of the page before */
                cursor?: string | undefined;
                /** @description How many runs a page has at most */
                limit?: number | undefined;
            } | undefined;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page; `cursor` leads to the next one and is absent on the last */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunList"];
                };
            };
        };
    };
    startRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description A request that is repeated under its key answers the run that it started the first time */
                "idempotency-key"?: string | undefined;
            } | undefined;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartRun"];
            };
        };
        responses: {
            /** @description The run that was started under this key before */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunStarted"];
                };
            };
            /** @description The new run */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunStarted"];
                };
            };
        };
    };
    showRun: {
        parameters: {
            query?: {
                /** @description How long to wait for the end of the run, such as `60s`; at most ten minutes */
                wait?: string | undefined;
            } | undefined;
            header?: never;
            path: {
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunShown"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description `seq` of the last event that is not wanted any more; `Last-Event-ID` goes before it */
                after?: number | undefined;
                /** @description How many events a page has at most */
                limit?: number | undefined;
            } | undefined;
            header?: never;
            path: {
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events after the cursor, in order. In a stream only stored events carry an id (their seq) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPage"];
                    "text/event-stream": string;
                };
            };
            /** @description The stream has nothing more: the run ended at or before the cursor */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readOutput: {
        parameters: {
            query?: {
                /** @description Any step, if absent */
                step?: string | undefined;
                /** @description The latest pass, if absent */
                pass?: number | undefined;
                /** @description The latest attempt, if absent */
                attempt?: number | undefined;
                /** @description Of a stream: the byte to begin at */
                from?: number | undefined;
            } | undefined;
            header?: never;
            path: {
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The output of the latest attempt that fits */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                    "text/event-stream": string;
                };
            };
            /** @description The range of it */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    readDiff: {
        parameters: {
            query?: {
                /** @description The latest pass with a snapshot, if absent */
                pass?: number | undefined;
            } | undefined;
            header?: never;
            path: {
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A diff as git writes it. `setpoint-truncated: true` when it was cut at 4 MiB */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    cancelRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Steer"];
            };
        } | undefined;
        responses: {
            /** @description Applied: the state of the run */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunShown"];
                };
            };
            /** @description Stored, and no worker answered yet; it is sent again until one does */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunShown"];
                };
            };
        };
    };
    pauseRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Steer"];
            };
        } | undefined;
        responses: {
            /** @description Applied: the state of the run */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunShown"];
                };
            };
            /** @description Stored, and no worker answered yet; it is sent again until one does */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunShown"];
                };
            };
        };
    };
    resumeRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Steer"];
            };
        } | undefined;
        responses: {
            /** @description Applied: the state of the run */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunShown"];
                };
            };
            /** @description Stored, and no worker answered yet; it is sent again until one does */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunShown"];
                };
            };
        };
    };
    retryRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RetryRun"];
            };
        } | undefined;
        responses: {
            /** @description Applied: the state of the run */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunShown"];
                };
            };
            /** @description Stored, and no worker answered yet; it is sent again until one does */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunShown"];
                };
            };
        };
    };
    raiseRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RaiseRun"];
            };
        };
        responses: {
            /** @description Applied: the state of the run */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunShown"];
                };
            };
            /** @description Stored, and no worker answered yet; it is sent again until one does */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunShown"];
                };
            };
        };
    };
    pushBackRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PushBackRun"];
            };
        };
        responses: {
            /** @description Applied: the state of the run */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunShown"];
                };
            };
            /** @description Stored, and no worker answered yet; it is sent again until one does */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunShown"];
                };
            };
        };
    };
    showRunDefinition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The text as it was sent; of an object its JSON */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunDefinitionShown"];
                };
            };
        };
    };
    editRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EditRun"];
            };
        };
        responses: {
            /** @description Applied: the state of the run */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunShown"];
                };
            };
            /** @description Stored, and no worker answered yet; it is sent again until one does */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunShown"];
                };
            };
        };
    };
    forkRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ForkRun"];
            };
        };
        responses: {
            /** @description The run that was forked under this message id before */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunListed"];
                };
            };
            /** @description The new run */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunListed"];
                };
            };
        };
    };
    listTasks: {
        parameters: {
            query?: {
                state?: ("open" | "decided" | "closed") | undefined;
                project?: string | undefined;
                /** @description Id of the run that asks */
                run?: string | undefined;
                /** @description `true`: the open ones that I may decide and have not answered */
                mine?: ("true" | "false") | undefined;
                /** @description The beginning of the id */
                q?: string | undefined;
                /** @description `cursor` of the page before */
                cursor?: string | undefined;
                /** @description How many a page has at most */
                limit?: number | undefined;
            } | undefined;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page; `cursor` leads to the next one and is absent on the last */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskList"];
                };
            };
        };
    };
    showTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                taskId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The task in its newest revision */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskShown"];
                };
            };
        };
    };
    decideTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                taskId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Decide"];
            };
        };
        responses: {
            /** @description Applied, now or when the same decision was sent before */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskDecided"];
                };
            };
            /** @description Stored, and no worker answered yet; it is sent again until one does */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskDecided"];
                };
            };
        };
    };
    cleanupRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Cleanup"];
            };
        } | undefined;
        responses: {
            /** @description What was removed; nothing, if it was cleaned up before */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CleanupShown"];
                };
            };
            /** @description Taken, and its host did not do it in time; it does when it is back */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CleanupShown"];
                };
            };
        };
    };
    readArtifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sha256: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The range of it */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
        };
    };
    showDefinition: {
        parameters: {
            query?: {
                version?: number | undefined;
                project?: string | undefined;
            } | undefined;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The definition with its text */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DefinitionShown"];
                };
            };
        };
    };
    putDefinition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutDefinition"];
            };
        };
        responses: {
            /** @description The newest version, which says the same */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DefinitionShown"];
                };
            };
            /** @description A new version */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DefinitionShown"];
                };
            };
        };
    };
    listDefinitions: {
        parameters: {
            query?: {
                /** @description `cursor` of the page before */
                cursor?: string | undefined;
                /** @description How many a page has at most */
                limit?: number | undefined;
                project?: string | undefined;
            } | undefined;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page; `cursor` leads to the next one and is absent on the last */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DefinitionList"];
                };
            };
        };
    };
    listDefinitionVersions: {
        parameters: {
            query?: {
                cursor?: number | undefined;
                /** @description How many a page has at most */
                limit?: number | undefined;
                project?: string | undefined;
            } | undefined;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page; `cursor` leads to the next one and is absent on the last */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DefinitionVersions"];
                };
            };
        };
    };
    listSecrets: {
        parameters: {
            query?: {
                /** @description `cursor` of the page before */
                cursor?: string | undefined;
                /** @description How many a page has at most */
                limit?: number | undefined;
                project?: string | undefined;
            } | undefined;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page; `cursor` leads to the next one and is absent on the last */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecretList"];
                };
            };
        };
    };
    putSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutSecret"];
            };
        };
        responses: {
            /** @description Its value was replaced */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecretListed"];
                };
            };
            /** @description Stored */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecretListed"];
                };
            };
        };
    };
    removeSecret: {
        parameters: {
            query?: {
                project?: string | undefined;
            } | undefined;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    showMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The principal of this request; the owner of the server is in all teams */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Principal"];
                };
            };
        };
    };
    listPeople: {
        parameters: {
            query?: {
                /** @description `cursor` of the page before */
                cursor?: string | undefined;
                /** @description How many a page has at most */
                limit?: number | undefined;
            } | undefined;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page; `cursor` leads to the next one and is absent on the last */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonList"];
                };
            };
        };
    };
    putPerson: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutPerson"];
            };
        };
        responses: {
            /** @description The changed person; with `newToken` the new token, and the one before is no longer valid */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonPut"];
                };
            };
            /** @description The new person, with the token; it cannot be shown again */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonPut"];
                };
            };
        };
    };
    removePerson: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listSources: {
        parameters: {
            query?: {
                /** @description `cursor` of the page before */
                cursor?: string | undefined;
                /** @description How many a page has at most */
                limit?: number | undefined;
            } | undefined;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page; `cursor` leads to the next one and is absent on the last */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourceList"];
                };
            };
        };
    };
    putSource: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                label: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutSource"];
            };
        };
        responses: {
            /** @description The source as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Source"];
                };
            };
        };
    };
    describeApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OpenAPI 3.1 */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
}
