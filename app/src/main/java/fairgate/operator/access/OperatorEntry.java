package fairgate.operator.access;

import fairgate.kernel.Role;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// An operator in the list of operators.
///
/// @param enrolled whether the operator has a password and one-time codes
/// @param createdBy the actor who added the operator
/// @param signedInAt the last sign-in; null for none
/// @param linkExpiresAt the end of the one-time link; null without a link
public record OperatorEntry(
    String id,
    String name,
    Role role,
    boolean enrolled,
    Instant createdAt,
    String createdBy,
    @Nullable Instant signedInAt,
    @Nullable Instant linkExpiresAt) {}
