/// The risk policy on the whole server and its commands.
@NullMarked
package fairgate.app.policies;

import org.jspecify.annotations.NullMarked;
