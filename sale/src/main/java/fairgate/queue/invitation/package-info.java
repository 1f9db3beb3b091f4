/// Invitations to the tiers of a sale: lists of people, and single-use links.
@NullMarked
@CheckReturnValue
package fairgate.queue.invitation;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
