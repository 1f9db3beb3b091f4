package fairgate.platform.audit;

import fairgate.kernel.AuditEvent;

/// An event that is not written yet, and its time in milliseconds.
record PendingEvent(AuditEvent event, long at) {}
