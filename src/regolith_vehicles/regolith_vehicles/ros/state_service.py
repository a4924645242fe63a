# Copyright 2026 Regolith contributors
# SPDX-License-Identifier: Apache-2.0
"""Service ``~/set_body_state``: the world sets pose and velocity of a vehicle, or checks those of a rigid body."""

from __future__ import annotations

from rclpy.node import Node
from regolith_msgs.srv import SetBodyState

from regolith_terrain.scenario_bodies import BodiesParticipant
from regolith_vehicles.agent.agent import VehicleAgent
from regolith_world.ros import ParticipantEndpoint, create_service, protocol_codec


def create_state_service(node: Node, agent: VehicleAgent, endpoint: ParticipantEndpoint, run: int) -> None:
    """Create the service.

    Args:
        node: Node of the vehicle.
        agent: Agent of the vehicle.
        endpoint: Endpoint of the participant.  # term: name
        run: Id of the run; requests of other runs are refused.
    """

    def place(request: SetBodyState.Request, response: SetBodyState.Response) -> SetBodyState.Response:
        if request.run_id != run:
            response.message = 'this vehicle belongs to another run'
            return response
        if not endpoint.settled:
            response.message = f'{agent.name} has not joined yet'
            return response
        try:
            agent.set_state(protocol_codec.BODY.from_message(request.body))
            response.success = True
        except ValueError as error:
            response.message = str(error)
        return response

    create_service(node, SetBodyState, '~/set_body_state', place)


def create_place_service(node: Node, participant: BodiesParticipant, run: int) -> None:
    """Create the same service of the participant of rigid bodies, which only checks the states of bodies.

    Args:
        node: Node of the participant.
        participant: The participant.
        run: Id of the run; requests of other runs are refused.
    """

    def check(request: SetBodyState.Request, response: SetBodyState.Response) -> SetBodyState.Response:
        if request.run_id != run:
            response.message = 'these bodies belong to another run'
            return response
        for body in request.spawned:
            participant.check_place(protocol_codec.SPAWNED.from_message(body))
        response.success = True
        return response

    create_service(node, SetBodyState, '~/set_body_state', check)
