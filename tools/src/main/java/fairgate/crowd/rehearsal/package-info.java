/// A rehearsal: a crowd of honest buyers and bots against a running server, and what became of
/// them.
@NullMarked
package fairgate.crowd.rehearsal;

import org.jspecify.annotations.NullMarked;
