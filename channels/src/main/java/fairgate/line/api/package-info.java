/// The Messaging API of LINE as far as it is used: messages, replies, pushes, and their refusals.
@NullMarked
@CheckReturnValue
package fairgate.line.api;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
