package fairgate.platform.audit;

import fairgate.kernel.AuditEvent;

/// An event and when it happened, ms.
record Noted(AuditEvent event, long at) {}
